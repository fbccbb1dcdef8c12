package elsewhere

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/internal/lazy"
)

// language is one in which a file is named without its ending, or by its folder.
type language struct {
	names   func() *regexp.Regexp // what names one, in its groups
	several func() *regexp.Regexp // a folder, and names in it with commas between; nil for none
	between string                // what stands between the folders of a name
	endings []string
}

var languages = []language{
	{
		names: lazy.Regexp(`\b(?:node|deno|bun|tsx|ts-node)[ \t]+(?:run[ \t]+)?(?:-\S+[ \t]+)*([^\s;|&()<>-][^\s;|&()<>]*)` +
			`|\b(?:require|require\.resolve|import)\s*\(?\s*["']([^"'\n]+)["']|` +
			`\bfrom\s+["']([^"'\n]+)["']|\s(?:-r|--require|--import|--loader)[= ]*(\S+)`),
		between: "/",
		endings: []string{
			".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".jsx", ".tsx",
			"/index.js", "/index.cjs", "/index.mjs", "/index.ts",
		},
	},
	{
		names: lazy.Regexp(`\b(?:python|pypy)[0-9.]*[ \t]+(?:-\S+[ \t]+)*([^\s;|&()<>-][^\s;|&()<>]*)|` +
			`\s-[A-Za-z]*m\s*([\w.]+)|(?m)(?:^|[;"'])[ \t]*import[ \t]+([\w.]+)` +
			`|(?:import_module|__import__|run_module)\(\s*["']([\w.]+)["']|(?m)(?:^|[;"'])[ \t]*from[ \t]+([\w.]+)[ \t]+import\b`),
		several: lazy.Regexp(`(?m)(?:^|[;"'])[ \t]*(?:from[ \t]+([\w.]+)[ \t]+)?import[ \t]+\(?([\w., \t]+)`),
		between: ".",
		endings: []string{".py", ".pyc", ".so", "/__main__.py", "/__init__.py"},
	},
	{
		names:   lazy.Regexp(`\s-r\s*([\w./-]+)|\b(?:require|require_relative|load)\s*\(?\s*["']([^"'\n]+)["']`),
		between: "/",
		endings: []string{".rb", ".so"},
	},
	{
		names:   lazy.Regexp(`\s-[mM]\s*([\w:]+)|(?m)(?:^|[;"'])[ \t]*(?:use|require)[ \t]+([\w:]+)`),
		between: "::",
		endings: []string{".pm", ".pl"},
	},
	{
		names:   lazy.Regexp(`\brequire\s*\(?\s*["']([\w./-]+)["']|\blua\S*\s+(?:.*\s)?-l\s*([\w.]+)`),
		between: ".",
		endings: []string{".lua", "/init.lua"},
	},
}

// built is a folder of which a program is made and run.
var built = lazy.Regexp(`\b(?:go\s+(?:run|generate|build|install)|cargo\s+run\s.*--manifest-path|dotnet\s+run\s+--project|` +
	`make\s.*-C)[= ]*(?:-\S+[ \t]+)*` +
	`([^\s;|&()<>-][^\s;|&()<>]*)`)

// unknown is what a shell replaces.
var unknown = lazy.Regexp(`\$\([^()\n]*\)|\$\{[^}\n]*\}|\$\w+`)

// included are folders in which a program looks for what it is to load.
var included = lazy.Regexp(`\s-I\s*([\w./-]+)|\b(?:PYTHONPATH|NODE_PATH|RUBYLIB|PERL5LIB|LUA_PATH)=["']?([^\s"':;]+)`)

// modulesOf returns the files that a text names in the way of its language, in some folders: without an ending, by their folder, or with
// dots between; and folders of which a program is made, but those that it may begin in.
func modulesOf(text string, folders, others []string) (list []string) {
	text = unknown().ReplaceAllString(text, "_") // a folder that is not known
	places := slices.Concat(folders, others)
	for _, word := range matchesOf(included(), text) {
		for _, path := range namedIn(word, places) {
			if len(places) < 2*maxPlaces && isFolder(path) && !slices.Contains(places, path) {
				places = append(places, path)
			}
		}
	}

	for _, l := range languages {
		for _, name := range l.namedIn(text) {
			for _, path := range namedIn(name, places) {
				for _, ending := range l.endings {
					if file := path + ending; isFile(file) && !slices.Contains(list, file) {
						list = append(list, file)
					}
				}
			}
		}
	}

	for _, name := range matchesOf(built(), text) {
		for _, path := range namedIn(strings.Trim(name, `"'`), places) {
			if isFolder(path) && !slices.ContainsFunc(folders, func(folder string) bool { return within(folder, path) }) {
				list = append(list, path)
			}
		}
	}

	return list
}

// namedIn returns the names of a language that a text has, as paths.
func (l language) namedIn(text string) (list []string) {
	add := func(name string) {
		name = strings.Trim(name, `"'`)
		if !strings.Contains(name, "/") {
			name = strings.ReplaceAll(strings.Trim(name, "."), l.between, "/")
		}
		if name != "" && len(name) <= maxPath && len(list) < maxWords && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	for _, name := range matchesOf(l.names(), text) {
		add(name)
	}
	if l.several == nil {
		return list
	}

	for _, m := range l.several().FindAllStringSubmatch(text, maxWords) {
		for _, name := range strings.Split(m[2], ",") {
			if name, _, _ = strings.Cut(strings.TrimSpace(name), " "); name != "" { // without "as"
				add(strings.Trim(m[1]+"."+name, "."))
			}
		}
	}

	return list
}

// within reports whether a path is that of a folder, or one above it.
func within(folder, path string) bool {
	rel, err := filepath.Rel(path, folder)
	return err == nil && filepath.IsLocal(rel)
}
