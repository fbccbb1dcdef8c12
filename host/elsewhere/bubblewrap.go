package elsewhere

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/internal/programs"
)

// sandbox makes the words of bubblewrap, and what they share: the project and the agent's own folders can be written, the rest
// of the system read. Home, the folders of other users, sockets and temporary files are not there.
func (p *Place) sandbox(ctx context.Context) ([]Share, error) {
	home, err := buffers.Real(cmp.Or(os.Getenv("HOME"), "/nonexistent"))
	if err != nil {
		return nil, err
	}

	cwd, err := buffers.Real(p.needs.Cwd)
	if err != nil {
		return nil, err
	}
	if buffers.Inside([]string{cwd}, home) {
		return nil, fmt.Errorf("%s holds your home folder, which a sandbox is to protect: open Neovim in a project", p.needs.Cwd)
	}
	if err := p.checkFolders(); err != nil {
		return nil, err
	}

	programs.Avoid(p.roots()...)
	program, err := programs.Find("bwrap")
	if err != nil {
		return nil, errors.New("there is no program \"bwrap\"; to install it: " + p.spec.Install)
	}

	stat, err := programs.Find("stat")
	if err != nil {
		return nil, errors.New("there is no program \"stat\", with which what a sandbox shows is compared")
	}
	for _, name := range []string{"tmp", "cache"} {
		if err := os.Mkdir(p.private.join(name), 0o700); err != nil {
			return nil, err
		}
	}

	tmp := p.private.join("tmp")
	_ = os.Chmod(tmp, 0o777|os.ModeSticky) // as a folder for temporary files is; the one around it is private

	argv := []string{
		program, "--die-with-parent", "--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try", "--cap-drop", "ALL",
		"--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--bind", tmp, "/tmp", "--bind", tmp, "/var/tmp",
	}
	argv = append(argv, kernel()...)
	if os.Geteuid() != 0 {
		argv = slices.Insert(argv, 2, "--unshare-user")
	} else {
		argv = slices.Insert(argv, 2, "--unshare-user-try")
	}
	if !p.spec.Network {
		argv = append(argv, "--unshare-net")
	}

	empty := []string{"/run"} // sockets of the system's services, which lead out
	for _, dir := range []string{"/home", "/root", home} {
		if isDir(dir) && !buffers.Inside(empty, dir) {
			empty = append(empty, dir)
		}
	}

	for _, dir := range empty {
		argv = append(argv, "--tmpfs", dir)
	}

	hidden := append(slices.Clone(empty), "/tmp", "/var/tmp", "/dev", "/proc")

	binds, err := p.binds(ctx, home, hidden)
	if err != nil {
		return nil, err
	}

	shares := []Share{{Here: "/", There: "/", Access: ReadOnly}}
	for _, dir := range hidden {
		shares = append(shares, Share{Here: dir, There: dir, Access: Hidden})
	}

	if isDir(home) {
		cache := filepath.Join(home, ".cache")
		argv = append(argv, "--dir", cache, "--bind", p.private.join("cache"), cache)
	}
	for _, b := range binds {
		shares = append(shares, Share{Here: b.path, There: b.path, Access: b.access, Socket: b.kind == fs.ModeSocket})
	}

	for _, b := range []bind{{path: "/tmp", real: tmp}, {path: "/var/tmp", real: tmp}} {
		b.access, b.kind, b.ours, b.named = Writable, fs.ModeDir, true, true
		binds = append(binds, b)
	}

	for _, b := range binds {
		if b.access == Writable && b.kind.IsDir() {
			programs.Avoid(b.real)
		}
	}

	p.box = box{words: argv, binds: binds, empty: empty, stat: stat}
	return shares, p.box.hold()
}

// binds returns what a sandbox sees beside the system, and what it must not see in that, folders before those in them. It waits for
// the disk until ctx ends.
func (p *Place) binds(ctx context.Context, home string, hidden []string) ([]bind, error) {
	access := map[string]Access{}
	closed := append(slices.Clone(hidden), shared()...)
	add := func(name string, a Access) {
		name = filepath.Clean(name)
		if _, err := os.Stat(name); err != nil || !filepath.IsAbs(name) {
			return
		}
		if a == ReadOnly && !buffers.Inside(closed, name) || buffers.Inside([]string{name}, home) {
			return // it is to be seen anyway, or it would show all of home
		}
		access[name] = max(access[name], a)
	}

	both := func(name string, a Access) {
		add(name, a)
		if real, err := buffers.Real(name); err == nil {
			add(real, a)
		}
	}

	for _, name := range p.programs() {
		both(name, ReadOnly)
	}

	if real, err := filepath.EvalSymlinks("/etc/resolv.conf"); err == nil {
		add(real, ReadOnly)
	}

	both("/run/current-system", ReadOnly) // of NixOS
	for _, name := range p.spec.Read {
		both(p.own(name), ReadOnly)
	}

	for _, name := range p.spec.Write {
		own := p.own(name)
		if strings.HasSuffix(name, "/") && own != "" {
			_ = os.MkdirAll(own, 0o700) // the agent keeps its login there; what cannot be made is not there
		}
		both(own, Writable)
	}

	for _, dir := range append(slices.Clone(p.needs.Dirs), p.needs.Cwd) {
		both(dir, Writable)
	}

	roots := p.roots()
	found, _, cut, err := p.repositories.learn(ctx, roots)
	if err != nil {
		return nil, err
	}
	if cut {
		p.limits = append(p.limits, manyFolders)
	}

	found, ranks, err := p.chosen(found, roots)
	if err != nil {
		return nil, err
	}
	for _, git := range found {
		p.protectRepository(ctx, git, ranks[git] < lookalike, roots, access)
	}

	p.protectPath(roots, access)
	p.protectOwn(access)
	p.watchRuntime(roots)

	sockets := p.repositories.listeners()
	if len(sockets) > maxSockets {
		p.limits = append(p.limits, manySockets(len(sockets), sockets[maxSockets]))
		sockets = sockets[:maxSockets]
	}

	tools, err := buffers.Real(cmp.Or(p.needs.Socket, "/nonexistent"))
	if err != nil {
		return nil, err
	}
	for _, name := range ways(hidden, access, sockets) {
		if !buffers.Inside([]string{tools}, name) {
			access[name] = Hidden
		}
	}

	return newBinds(access, hidden), nil
}

// programs returns the files and folders that the agent's program needs to run, as far as its command line and $PATH name them.
func (p *Place) programs() []string {
	list := filepath.SplitList(os.Getenv("PATH"))
	for i, word := range append(slices.Clone(p.needs.Program), p.needs.Tools) {
		if i == 0 {
			if path, err := exec.LookPath(word); err == nil {
				word = path
			}
		}
		if filepath.IsAbs(word) {
			list = append(list, word)
		}
	}

	if p.needs.Socket != "" {
		list = append(list, p.needs.Socket)
	}
	for _, name := range slices.Clone(list) {
		real, err := filepath.EvalSymlinks(name)
		if err != nil {
			continue
		}
		before, _, ok := strings.Cut(real+"/", "/node_modules/")
		switch {
		case ok: // a package sees those beside it
			list = append(list, filepath.Join(before, "node_modules"))
		case filepath.Base(real) == "bin" && filepath.Base(filepath.Dir(real)) != ".local":
			list = append(list, filepath.Join(filepath.Dir(real), "lib"))
		}
		list = append(list, real)
	}

	return list
}

// always are the variables that every sandbox has.
var always = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TERM", "COLORTERM", "TZ", "NO_COLOR",
	"http_proxy", "https_proxy", "no_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "NODE_OPTIONS",
}

// passed returns the environment of the program that leads into a place: of ours what is named, and what is given.
func (p *Place) passed(given map[string]string) []string {
	env := map[string]string{}
	names := append(slices.Clone(always), p.spec.Env...)
	for _, entry := range os.Environ() {
		name, value, _ := strings.Cut(entry, "=")
		if slices.ContainsFunc(names, func(n string) bool {
			prefix, any := strings.CutSuffix(n, "*")
			return name == n || any && strings.HasPrefix(name, prefix)
		}) {
			env[name] = value
		}
	}

	env["TMPDIR"] = "/tmp"
	maps.Copy(env, given)
	var list []string
	for _, name := range slices.Sorted(maps.Keys(env)) {
		list = append(list, name+"="+env[name])
	}

	return list
}
