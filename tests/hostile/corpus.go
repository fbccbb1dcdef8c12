// Package hostile has texts that harm whoever makes more of them than text, and messages of the protocol with one of them in
// each string field, made from the table of the schema. The tests of this repository send them.
package hostile

import (
	"fmt"
	"strings"
)

// Raw stands for bytes that are no UTF-8, which JSON cannot say: a caller puts RawBytes in its place in what it sends.
const Raw, RawBytes = "\ue0f0", "\x80\xfdh\x80\x92P"

// Corpus returns the texts. In each place that would run one, it makes a file whose name begins with mark, in the current
// directory.
func Corpus(mark string) []string {
	write := fmt.Sprintf("writefile([],'%s')", mark)
	touch := "touch " + mark
	lua := fmt.Sprintf("v:lua.vim.fn.writefile([],'%s')", mark)

	texts := []string{
		// Options that are evaluated.
		"%{" + write + "}", "%{%" + write + "%}", "%!" + write, "%{system(\"" + touch + "\")}", "%{%system(\"" + touch + "\")%}",
		"%!system(\"" + touch + "\")", "%{" + lua + "}", "%0@Hostile@click here%X", "%@v:lua.Hostile@x%T", "%#Error#red%*", "%=%<%(%)", "%",
		"100%", "%%{" + write + "}", "%%%{" + write + "}", "%{", "%{%", "%9999999999d", "%-0{" + write + "}", "%3T%X",
		// Commands, and the end of one.
		"|call " + write + "|", "a\ncall " + write + "\n", "a|silent! call " + write, "\r:call " + write + "\r", "+call\\ " + write, "++bad=" + mark,
		"'|call " + write + "|'", "\"|call " + write + "|\"", "\\|call " + write, "x\" | call " + write + " | echo \"", "x' . " + write + " . '",
		"!" + touch, "|!" + touch, ":!" + touch + "\n", "]]) vim.fn." + write + " --[[", "\") vim.fn." + write + " --",
		// Keys.
		"<CR>:call " + write + "<CR>", "<Esc>:call " + write + "<CR>", "<Cmd>call " + write + "<CR>", "\x1b:call " + write + "\r",
		"\x12=" + write + "\r", "\x03:call " + write + "\r", "i\x0f:call " + write + "\n", Raw + ":call " + write + "\r", "\x16\x12=" + write,
		// Names that are expanded.
		"`" + touch + "`", "`=" + write + "`", "$(" + touch + ")", "*", "**/*", "?[a-z]{b,c}", "~", "~root", "$HOME", "#", "##", "%:p", "<cfile>", "<sfile>",
		"-c call " + write, "--cmd", "\\", "\\\\", "a\\", "[", "\\v((((", "\\(", "%(", "[[:alpha:", ".*", "^$", "%f[", "%b()",
		// Addresses.
		"term://" + touch, "file:///%{" + write + "}", "http://a/`" + touch + "`", "scp://x/|" + touch + "|", "man://`" + touch + "`", "zip:///x.zip::y",
		"https://user:%{" + write + "}@host/", "javascript:alert(1)", "data:text/html,x", "/dev/stdin", "/proc/self/fd/0", "../../../../etc/passwd",
		// What a file says of itself, and code in it.
		"vim: set fdm=expr fde=" + write + " :", "// vim: set stl=%{" + write + "} :", "-*- eval: (x) -*-",
		"```lua\nvim.fn." + write + "\n```", "```vim\ncall " + write + "\n```", "```\n", "~~~~", "[x](`" + touch + "`)", "![x](file:///dev/zero)",
		// What a terminal takes, and what hides.
		"\x1b[2J\x1b]52;c;eA==\x07", "\x1b]0;title\x07", "\x1bP+q\x1b\\", "\u009b31m", "a\x00b", "a\x7fb", "a\tb", "a\r\nb", "\n\n\n", "", " ",
		"\u202egnp.exe", "\u2066a\u2069", "a\u200b\u200d\ufeffb", "e" + strings.Repeat("\u0301", 300), "\U000e0041", "\u2028x\u2029", "\ufffd", Raw,
		"日本語" + strings.Repeat("漢", 200), "👩‍🚀⚠️", "'", "\"", "''", `\"`, "]]", "}", "{{{", "<<EOF", "null", "true", "-1", "NaN",
		"constructor", "__index", "nil", "a.b.c", "a:b", "a/b/c", "/", ".", "..", "-", "--",
	}
	for _, long := range []string{"A", "%{" + write + "}", "a ", "\n", "\u0301", "`"} {
		texts = append(texts, strings.Repeat(long, 20_000/len(long)))
	}

	return texts
}

// Huge is a text that is a megabyte long.
func Huge(mark string) string {
	return strings.Repeat("%{writefile([],'"+mark+"')}|`x`\n", 1<<20/30)
}
