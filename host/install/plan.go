package install

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"runtime"
	"strings"
)

// The ways in which an agent is installed.
const (
	NPM     = "npm"     // a package and what it depends on, in the agent's folder
	Archive = "archive" // a program, in the agent's folder
	UVX     = "uvx"     // nothing: uvx downloads the pinned package when it first runs
)

// Plan is exactly what an installation does. It is shown before it is done, and taken back from whom it was shown to, so it is
// checked anew each time.
type Plan struct {
	ID      string            `json:"id"`
	Name    string            `json:"name"`
	Version string            `json:"version"`
	How     string            `json:"how"`
	Source  string            `json:"source"` // an address, or a package with its version
	SHA256  string            `json:"sha256"` // of an archive, "" if none is known
	Needs   string            `json:"needs"`  // the program that installs or runs it, "" if none does
	Run     [][]string        `json:"run"`    // the commands that install it, nil if none does
	Program string            `json:"program"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
	Folder  string            `json:"folder"`
}

// scripted are the packages of npm that do not work unless their own scripts run when they are installed. Those of what they depend
// on do not run either.
var scripted = map[string]bool{
	"opencode-ai": true, // puts the program for this processor in place
}

// Platform is this machine as registries name it.
func Platform() string {
	machine := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH]
	return runtime.GOOS + "-" + machine
}

// Make plans to install an agent below a folder. Of the ways that the registry has for this platform it takes the first whose
// program is there: an archive whose sum is known, npm, uvx, an archive of which no sum is known.
func Make(a Agent, root, platform string, have func(program string) bool) (*Plan, error) {
	if !idForm().MatchString(a.ID) {
		return nil, fmt.Errorf("%q is not the id of an agent", a.ID)
	}
	if err := checkVersion(a.Version); err != nil {
		return nil, fmt.Errorf("%s: %w", a.ID, err)
	}

	var ways []*Plan
	base := Plan{ID: a.ID, Name: a.Name, Version: a.Version, Folder: filepath.Join(root, a.ID, a.Version)}
	target, binary := a.Distribution.Binary[platform]
	if binary && target.SHA256 != "" {
		ways = append(ways, base.archive(target))
	}
	if p := a.Distribution.NPX; p != nil {
		ways = append(ways, base.npm(*p))
	}
	if p := a.Distribution.UVX; p != nil {
		ways = append(ways, base.uvx(*p))
	}
	if binary && target.SHA256 == "" {
		ways = append(ways, base.archive(target))
	}
	if len(ways) == 0 {
		return nil, fmt.Errorf("%s cannot be installed on %s", a.Name, platform)
	}

	chosen := ways[0]
	for _, p := range ways {
		if p.Needs == "" || have(p.Needs) {
			chosen = p
			break
		}
	}

	return chosen, chosen.Check(root)
}

func (p Plan) archive(t Target) *Plan {
	p.How, p.Source, p.SHA256 = Archive, t.Archive, strings.ToLower(t.SHA256)
	p.Program, p.Args, p.Env = path.Clean(strings.TrimPrefix(t.Cmd, "./")), t.Args, t.Env
	return &p
}

func (p Plan) npm(k Package) *Plan {
	name, version := splitPackage(k.Package, p.Version)
	p.How, p.Source, p.Needs = NPM, name+"@"+version, "npm"
	p.Args, p.Env = k.Args, k.Env
	p.Run = p.npmCommands(name)
	return &p
}

// npmCommands install a package into the folder where things are until they are whole.
func (p *Plan) npmCommands(name string) [][]string {
	list := [][]string{{
		"npm", "install", "--prefix", p.temp(), "--global=false", "--dry-run=false", "--package-lock-only=false",
		"--no-audit", "--no-fund", "--omit=dev", "--ignore-scripts", p.Source,
	}}
	if scripted[name] {
		list = append(list, []string{"npm", "rebuild", "--prefix", p.temp(), "--global=false", "--ignore-scripts=false", name})
	}
	return list
}

func (p Plan) uvx(k Package) *Plan {
	name, version := splitPackage(k.Package, p.Version)
	p.How, p.Source, p.Needs, p.Program = UVX, name+"@"+version, "uvx", "uvx"
	p.Args, p.Env = append([]string{p.Source}, k.Args...), k.Env
	return &p
}

// temp is where an installation is until it is whole. There is one at a time, so the name is always the same.
func (p *Plan) temp() string { return filepath.Join(filepath.Dir(p.Folder), newPrefix+p.Version) }

// newPrefix begins the names of folders that are not whole, oldPrefix of those that go.
const (
	newPrefix = ".new-"
	oldPrefix = ".old-"
)

// Check reports why a plan is not carried out below a folder.
func (p *Plan) Check(root string) error {
	if !idForm().MatchString(p.ID) {
		return fmt.Errorf("%q is not the id of an agent", p.ID)
	}
	if err := checkVersion(p.Version); err != nil {
		return fmt.Errorf("%s: %w", p.ID, err)
	}
	if p.Folder != filepath.Join(root, p.ID, p.Version) {
		return fmt.Errorf("%s: %s is not its folder", p.ID, p.Folder)
	}
	switch p.How {
	case NPM, UVX:
		return p.checkPackage()
	case Archive:
		return p.checkArchive()
	}

	return fmt.Errorf("%s: nothing is installed by %q", p.ID, p.How)
}

func (p *Plan) checkPackage() error {
	form := npmForm
	if p.How == UVX {
		form = pypiForm
	}
	name, version := splitPackage(p.Source, "")
	if !form().MatchString(name) || checkVersion(version) != nil {
		return fmt.Errorf("%s: %q is not a package with a version", p.ID, p.Source)
	}
	return nil
}

func (p *Plan) checkArchive() error {
	at, err := url.Parse(p.Source)
	switch {
	case err != nil || at.Host == "" || at.Scheme != "https" && at.Scheme != "http":
		return fmt.Errorf("%s: %q is not an address", p.ID, p.Source)
	case p.SHA256 != "" && !sumForm().MatchString(p.SHA256):
		return fmt.Errorf("%s: %q is not a SHA-256", p.ID, p.SHA256)
	case p.SHA256 == "" && at.Scheme != "https":
		return fmt.Errorf("%s: %s without a sum is not downloaded: anybody on the way can change it", p.ID, p.Source)
	case !filepath.IsLocal(p.Program) || p.Program == ".":
		return fmt.Errorf("%s: %q is not a path in an archive", p.ID, p.Program)
	}
	return nil
}

var errNoProgram = errors.New("it is not on $PATH")
