//go:build !race

package tests

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A sink is a place where Neovim makes more of a text than text: it evaluates, expands, types, executes or opens it.
type sink struct {
	name  string
	use   string   // matches a use, in Lua without comments
	fits  string   // matches a use in which nothing but words of ours takes part, "" if there is none
	doors []string // files below lua/nvim-acp, and "plugin", that may use it with a text of others
}

// The text of a literal, and the end of a call or a line behind it.
const literal, end = `(?:"(?:[^"\\]|\\.)*"|\[\[(?s:.*?)\]\])`, `\s*(?:[,)}\n]|$)`

const evaluated = `(?:winbar|statusline|tabline|statuscolumn|titlestring|iconstring|rulerformat|foldtext|foldexpr|formatexpr|` +
	`includeexpr|indentexpr|diffexpr|patchexpr|charconvert|printexpr|operatorfunc|opfunc|omnifunc|completefunc|tagfunc|thesaurusfunc|` +
	`quickfixtextfunc|findfunc|makeprg|grepprg|equalprg|formatprg|keywordprg)`

var sinks = []sink{
	{"an option that is evaluated", `\b` + evaluated + `\s*=[^=]`, evaluated + `\s*=\s*` + literal + end, nil},
	{"an option that is evaluated, by its name", `nvim_set_option_value\(\s*"` + evaluated + `"`, `option_value\(\s*"\w+", ` + literal + end, nil},
	{"an option whose name is a variable", `nvim_set_option_value\(\s*[^"\s]`, "", []string{"ui/bar", "ui/window"}},
	{"an option whose name is a variable", `vim\.(?:[bw]o\[[^\]]+\]|[gb]?o|wo|opt(?:_local|_global)?)\[\w+\]\s*=[^=]`, "", []string{"edit/window", "files/merged"}}, // of lists of ours
	{"an Ex command", `vim\.cmd\b(?:\.\w+)?\s*[^.\w]`, `vim\.cmd(?:\(` + literal + `\)|\.\w+\((?:\{ bang = [^"}]* \})?\))`, []string{"ui/ex"}},
	{"an Ex command", `nvim_cmd\b|nvim_command\b`, "", []string{"ui/ex"}},
	{"Vim script", `nvim_exec2?\b|nvim_eval\b`, `nvim_exec2\(\s*` + literal, nil},
	{"Vim script", `fn\.(?:execute|eval|luaeval|setcmdline|win_execute|timer_start)\b|luaeval`, "", nil},
	{"a function whose name is a variable", `vim\.(?:fn|api|cmd)\[`, "", nil},
	{"a command line", `nvim_parse_cmd\b`, "", []string{"ui/ex"}},
	{"Lua", `(?:^|[^.:\w])(?:loadstring|load)\(`, "", []string{"bytecode"}},
	{"Lua of a file", `\b(?:dofile|loadfile)\b`, "", []string{"bytecode", "config/presets"}},
	{"typed keys", `nvim_feedkeys\b|nvim_input\b|fn\.feedkeys\b`, `(?:nvim_feedkeys|nvim_input)\((?:vim\.keycode\()?` + literal,
		[]string{"edit/keys", "commands/keys", "ui/ex"}}, // keys that the user has typed, or configured
	{"a mapping made of parts", `keymap\.set\((?:\{[^}]*\}|[^,{]*),[^,]*,\s*\(?"[^"\n]*"\)?\s*(?:\.\.|:format)|nvim_(?:buf_)?set_keymap`, "", []string{"plugin"}},
	{"an abbreviation", `nvim_set_abbr|iabbrev`, "", nil},
	{"a name that is expanded", `fn\.(?:expand|glob|globpath|findfile|finddir|expandcmd)\b`, `fn\.expand\("<\w+>"\)`, []string{"health", "commands/file"}}, // the user's setting, and what they have typed
	{"a shell", `fn\.(?:system|systemlist)\b|os\.execute\b|io\.popen\b`, "", nil},
	{"a pattern", `fn\.(?:search|searchpos|match|matchstr|matchlist|matchadd|substitute)\b|vim\.regex\b`, "",
		[]string{"permission/request", "files/access"}}, // one of ours, and those of the user's autocommands
	{"a message", `nvim_echo\b|\bprint\(|nvim_err_write|nvim_out_write|vim\.notify\b|vim\.print\b`, "", []string{"ui/message"}},
	{"a choice", `vim\.ui\.(?:select|input)\b`, "", []string{"ui/choose"}},
	{"a program of the system", `vim\.ui\.open\b`, "", []string{"chat/open_target", "files/buffer", "permission/form"}},
	{"a buffer of a name", `fn\.(?:bufadd|bufload)\b|nvim_buf_set_name\b`, "", []string{"files/load", "ui/bufname", "prompt/orphans"}},
	{"a filetype of others' text", `\.(?:filetype|syntax)\s*=[^=]`, `\.filetype\s*=\s*"acp-\w+"` + end, []string{"ui/foreign", "state/buffers"}},
	{"virtual text", `\bvirt_(?:text|lines)\b\s*[=,]`, `virt_\w+\s*=\s*(?:(?:virtual|require\("nvim-acp\.ui\.virtual"\))\.(?:text|lines)\(|\{ (?:\{ )?\{ ` + literal + `, "\w+" \} \})`, nil},
	{"a file", `\bio\.(?:open|lines)\b|fn\.(?:readfile|readblob)\b|uv\.fs_open\b`, "", []string{"ui/disk", "config/atomic", "bytecode"}},
	{"the terminal", `nvim_ui_send\b|fn\.chansend\b|io\.stdout|io\.stderr`, "", []string{"chat/attention"}},
}

// Text of others gets nowhere where Neovim makes more of it but by one door for each such place (behaviours 700, 701, 835).
func TestSinks(t *testing.T) {
	files := append(luaFiles(t), "plugin/nvim-acp.lua")
	for _, s := range sinks {
		use := regexp.MustCompile(s.use)
		fits := regexp.MustCompile(`^(?:` + s.fits + `)`)
		for _, file := range files {
			name := doorOf(file)
			if slices.Contains(s.doors, name) {
				continue
			}
			text := uncommented(read(t, file))
			for _, at := range use.FindAllStringIndex(text, -1) {
				rest := text[at[0]:]
				if s.fits == "" || !fits.MatchString(strings.TrimPrefix(rest, " ")) {
					line, _, _ := strings.Cut(rest, "\n")
					t.Errorf("%s:%d: %s is used without its door: %s", file, strings.Count(text[:at[0]], "\n")+1, s.name, line)
				}
			}
		}
	}
}

// doorOf is the name of a file in the list above.
func doorOf(file string) string {
	if strings.HasPrefix(file, "plugin/") {
		return "plugin"
	}
	return strings.TrimSuffix(strings.TrimPrefix(file, "lua/nvim-acp/"), ".lua")
}

// Every door is one: a file in the list that does not use its sink is none any more.
func TestSinkDoors(t *testing.T) {
	for _, s := range sinks {
		for _, door := range s.doors {
			file := "lua/nvim-acp/" + door + ".lua"
			if door == "plugin" {
				file = "plugin/nvim-acp.lua"
			}
			if !regexp.MustCompile(s.use).MatchString(uncommented(read(t, file))) {
				t.Errorf("%s does not use %s", door, s.name)
			}
		}
	}
}

// uncommented is Lua without its comments, in as many lines.
func uncommented(text string) string {
	return regexp.MustCompile(`(?m)(^|\s)--(?:[^\[\n].*|)$`).ReplaceAllString(text, "$1")
}

// The host calls functions of Lua by constants of its own: no text of others is part of the code (behaviour 700).
func TestHostCode(t *testing.T) {
	calls := regexp.MustCompile(`(?:ExecLua\(|\bCall\[[^\]]*\]\(\w+, [\w.]+, |\bcall\([\w.]+, [\w.]+, )([^,)]*)`)
	constant := regexp.MustCompile(`^(lua[A-Z]\w*|code|code string|c\.code)$`)
	made := 0
	for _, path := range goFiles(t, "host") {
		for _, m := range calls.FindAllStringSubmatch(read(t, path), -1) {
			if !constant.MatchString(m[1]) {
				t.Errorf("%s calls Lua with %s", path, m[0])
			}
		}
		for _, code := range findMaybe(t, path, `(?m)^(?:\t|const )lua[A-Z]\w*\s*=\s*(.*)$`) {
			if made++; !regexp.MustCompile("^`[^`]*`$").MatchString(code) {
				t.Errorf("%s makes code of parts: %s", path, code)
			}
		}
	}
	if made < 40 {
		t.Errorf("only %d pieces of code are found", made)
	}
}
