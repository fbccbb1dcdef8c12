package install

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// entry is a file of an archive, or a link.
type entry struct {
	name, text, link string
	kind             byte
}

func packed(t *testing.T, entries ...entry) []byte {
	t.Helper()
	var out bytes.Buffer
	zipper := gzip.NewWriter(&out)
	archive := tar.NewWriter(zipper)
	for _, e := range entries {
		head := &tar.Header{Name: e.name, Mode: 0o644, Size: int64(len(e.text)), Linkname: e.link, Typeflag: e.kind}
		if e.link != "" && e.kind == 0 {
			head.Typeflag = tar.TypeSymlink
		}
		if err := archive.WriteHeader(head); err != nil {
			t.Fatal(err)
		}
		if _, err := archive.Write([]byte(e.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(archive.Close(), zipper.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func zipped(t *testing.T, entries ...entry) []byte {
	t.Helper()
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for _, e := range entries {
		f, err := archive.Create(e.name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(e.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// served returns the address of a server that has one file.
func served(t *testing.T, name string, body []byte) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/"+name {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(body)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/" + name
}

func sumOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

func agentOf(target Target) Agent {
	return Agent{
		ID: "thing", Name: "Thing", Version: "1.2.3",
		Distribution: Distribution{Binary: map[string]Target{"linux-x86_64": target}},
	}
}

func planned(t *testing.T, root string, a Agent) *Plan {
	t.Helper()
	p, err := Make(a, root, "linux-x86_64", func(string) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func quiet(string) {}

// nothing checks that neither an installation nor a part of one is there.
func nothing(t *testing.T, root string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if path != root && d.Name() != ".lock" {
			t.Errorf("%s is left", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// An archive, or a program, is downloaded, compared with its sum, unpacked, and there once it is whole (behaviour 382).
func TestArchives(t *testing.T) {
	good := entry{name: "bin/thing", text: "program"}
	for _, test := range []struct {
		name, file, cmd string
		body            []byte
	}{
		{"tar.gz", "thing.tar.gz", "./bin/thing", packed(t, entry{name: "./", kind: tar.TypeDir}, good, entry{name: "bin/other", link: "thing"})},
		{"zip", "thing.zip", "bin/thing", zipped(t, good)},
		{"program", "thing-linux", "./thing", []byte("program")},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			p := planned(t, root, agentOf(Target{Archive: served(t, test.file, test.body), SHA256: sumOf(test.body), Cmd: test.cmd}))
			m, err := p.Do(t.Context(), root, quiet)
			if err != nil {
				t.Fatal(err)
			}
			program := filepath.Join(p.Folder, m.Program)
			text, err := os.ReadFile(program)
			if err != nil || string(text) != "program" {
				t.Errorf("got %q, %v", text, err)
			}
			if info, err := os.Stat(program); err != nil || info.Mode().Perm()&0o111 == 0 {
				t.Errorf("it is not executable: %v %v", info, err)
			}
			if got := Installed(root, "thing"); len(got) != 1 || got[0].Version != "1.2.3" || got[0].SHA256 != sumOf(test.body) {
				t.Errorf("installed: %+v", got)
			}
			if err := Remove(root, "thing", "1.2.3"); err != nil {
				t.Error(err)
			}
			nothing(t, root)
		})
	}
}

// What is not as the plan says is not used, and nothing of it stays (behaviours 382, 384).
func TestBadArchives(t *testing.T) {
	program := entry{name: "thing", text: "program"}
	for _, test := range []struct {
		name string
		body []byte
		sum  string
		want string
	}{
		{"another sum", packed(t, program), strings.Repeat("0", 64), "and is not used"},
		{"parent", packed(t, program, entry{name: "../evil", text: "x"}), "", "leaves its folder"},
		{"absolute", packed(t, program, entry{name: "/tmp/evil", text: "x"}), "", "leaves its folder"},
		{"backslash", packed(t, program, entry{name: `..\evil`, text: "x"}), "", "leaves its folder"},
		{"link out", packed(t, program, entry{name: "l", link: "../.."}), "", "out of its folder"},
		{"absolute link", packed(t, program, entry{name: "l", link: "/etc"}), "", "out of its folder"},
		{
			"links that lead out together",
			packed(t, entry{name: "d/up", link: ".."}, entry{name: "l", link: "d/up/../x"}, entry{name: "l", text: "x"}, program), "", "l",
		},
		{
			"through a link out", packed(t, program, entry{name: "d/up", link: ".."}, entry{name: "l", link: "d/up/.."}, entry{name: "l/evil", text: "x"}),
			"", "escapes",
		},
		{"hard link", packed(t, program, entry{name: "h", link: "thing", kind: tar.TypeLink}), "", "neither a file nor a folder"},
		{"device", packed(t, program, entry{name: "dev", kind: tar.TypeChar}), "", "neither a file nor a folder"},
		{"twice", packed(t, program, program), "", "exists"},
		{"no program", packed(t, entry{name: "other", text: "x"}), "", "no program thing"},
		{"the program is a folder", packed(t, entry{name: "thing", kind: tar.TypeDir}), "", "no program thing"},
		{"truncated", packed(t, program)[:40], "", "EOF"},
		{"a page", []byte("<html><body>no such file</body>"), "", "gzip"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			if test.sum == "" {
				test.sum = sumOf(test.body)
			}
			p := planned(t, root, agentOf(Target{Archive: served(t, "thing.tar.gz", test.body), SHA256: test.sum, Cmd: "thing"}))
			if _, err := p.Do(t.Context(), root, quiet); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
			nothing(t, root)
			if _, err := os.Stat(filepath.Join(filepath.Dir(root), "evil")); err == nil {
				t.Error("it has left its folder")
			}
		})
	}
}

// An archive cannot put its manifest in the place of ours.
func TestManifestIsOurs(t *testing.T) {
	root := t.TempDir()
	body := packed(t, entry{name: "thing", text: "program"}, entry{name: ManifestName, link: "thing"})
	p := planned(t, root, agentOf(Target{Archive: served(t, "a.tgz", body), SHA256: sumOf(body), Cmd: "thing"}))
	if _, err := p.Do(t.Context(), root, quiet); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(filepath.Join(p.Folder, "thing")); string(text) != "program" {
		t.Errorf("the program is %q", text)
	}
}

// No name of a registry leaves the folder or becomes an option of a program, and no download without a sum is unencrypted
// (behaviour 384).
func TestBadNames(t *testing.T) {
	npm := func(id, version, pkg string) Agent {
		return Agent{ID: id, Version: version, Distribution: Distribution{NPX: &Package{Package: pkg}}}
	}
	uvx := func(pkg string) Agent {
		return Agent{ID: "a", Version: "1", Distribution: Distribution{UVX: &Package{Package: pkg}}}
	}
	at := func(address, cmd, sum string) Agent { return agentOf(Target{Archive: address, Cmd: cmd, SHA256: sum}) }
	for _, a := range []Agent{
		npm("..", "1", "p@1"), npm("", "1", "p@1"), npm("a/b", "1", "p@1"), npm("-a", "1", "p@1"), npm("A", "1", "p@1"),
		npm("a", "..", "p@1"), npm("a", "1/2", "p@1"), npm("a", "", "p"), npm("a", "1..2", "p@1"), npm("a", ".1", "p"),
		npm("a", "1", "--prefix=/"), npm("a", "1", "p@../x"), npm("a", "1", "p@file:x"), npm("a", "1", "https://x/y.tgz"),
		npm("a", "1", "git+ssh://x@1"), npm("a", "1", "p@"), npm("a", "1", "@x/../y@1"), npm("a", "1", "p@^1"), npm("a", "1", "a b@1"),
		uvx("-x"), uvx("p @ https://x"), uvx("p==../1"), uvx("./p"),
		at("http://example.com/a.tgz", "a", ""), at("file:///a.tgz", "a", ""), at("https:///a.tgz", "a", ""),
		at("https://example.com/a.tgz", "../a", ""), at("https://example.com/a.tgz", "/bin/sh", ""), at("https://example.com/a.tgz", "", ""),
		at("https://example.com/a.tgz", "a", "12"),
		{ID: "a", Version: "1"},
	} {
		if p, err := Make(a, "/root", "linux-x86_64", have); err == nil {
			t.Errorf("%+v is planned: %+v", a, p)
		}
	}
	for _, pkg := range []string{"fast-agent-acp==0.9.20", "hermes-agent[acp]==1.0", "minion-code@0.1.44"} {
		if _, err := Make(uvx(pkg), "/root", "linux-x86_64", have); err != nil {
			t.Error(err)
		}
	}
}

// Where the registry has several ways, that with a known sum goes first, then a package, and one whose program is missing last.
func TestWays(t *testing.T) {
	const secure, sum = "https://example.com/a.tgz", "abababababababababababababababababababababababababababababababab"
	for _, test := range []struct {
		name string
		sum  string
		have []string
		want string
	}{
		{"sum", sum, []string{"npm", "uvx"}, Archive},
		{"npm", "", []string{"npm", "uvx"}, NPM},
		{"no npm", "", []string{"uvx"}, UVX},
		{"neither", "", nil, Archive},
	} {
		a := agentOf(Target{Archive: secure, SHA256: test.sum, Cmd: "a"})
		a.Distribution.NPX, a.Distribution.UVX = &Package{Package: "a"}, &Package{Package: "a"}
		p, err := Make(a, "/root", "linux-x86_64", func(name string) bool { return slices.Contains(test.have, name) })
		if err != nil || p.How != test.want {
			t.Errorf("%s: got %+v, %v", test.name, p, err)
		}
	}
	if _, err := Make(agentOf(Target{Archive: secure, Cmd: "a"}), "/root", "plan9-x86_64", have); err == nil {
		t.Error("an archive of another platform is planned")
	}
}

func TestNewer(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"1.2.10", "1.2.9", true},
		{"1.2.9", "1.2.10", false},
		{"1.2", "1.2", false},
		{"2026.11.01", "2026.09.30", true},
		{"1.0.0", "1.0.0-rc.1", true},
		{"1.0.0-rc.1", "1.0.0", false},
	} {
		if got := Newer(test.a, test.b); got != test.want {
			t.Errorf("Newer(%q, %q): got %v, want %v", test.a, test.b, got, test.want)
		}
	}
}

// Two processes do not install at once; what a killed one has left is removed; what is there stays (behaviour 383).
func TestLock(t *testing.T) {
	root := t.TempDir()
	body := []byte("program")
	p := planned(t, root, agentOf(Target{Archive: served(t, "a", body), SHA256: sumOf(body), Cmd: "a"}))
	unlock, err := lock(root)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Do(t.Context(), root, quiet); !errors.Is(err, ErrBusy) {
		t.Errorf("got %v", err)
	}
	unlock()
	left := filepath.Join(root, "other", newPrefix+"1.0")
	if err := os.MkdirAll(filepath.Join(left, "node_modules"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(p.Folder, "half"), 0o700); err != nil { // without a manifest
		t.Fatal(err)
	}
	first, err := p.Do(t.Context(), root, quiet)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{left, filepath.Join(p.Folder, "half")} {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s is left", path)
		}
	}
	p.Source = "http://127.0.0.1:1/gone"
	if second, err := p.Do(t.Context(), root, quiet); err != nil || second.Source != first.Source {
		t.Errorf("the second time: %+v, %v", second, err)
	}
}

// A download that is stopped ends, and leaves nothing (behaviour 383).
func TestStopped(t *testing.T) {
	root := t.TempDir()
	asked := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "first part")
		w.(http.Flusher).Flush()
		close(asked)
		<-r.Context().Done()
	}))
	defer server.Close()
	p := planned(t, root, agentOf(Target{Archive: server.URL + "/a", SHA256: sumOf(nil), Cmd: "a"}))
	ctx, stop := context.WithCancelCause(t.Context())
	go func() { // ends with the download
		<-asked
		stop(errStopped)
	}()
	if _, err := p.Do(ctx, root, quiet); !errors.Is(err, errStopped) {
		t.Errorf("got %v", err)
	}
	nothing(t, root)
}

// A redirect does not lead from an encrypted address to one that is not.
func TestRedirect(t *testing.T) {
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	secure := httptest.NewTLSServer(http.RedirectHandler(plain.URL, http.StatusFound))
	defer secure.Close()
	c := client()
	c.Transport = secure.Client().Transport
	resp, err := c.Get(secure.URL)
	if err == nil {
		_ = resp.Body.Close()
		t.Fatalf("got %s", resp.Status)
	}
	if !strings.Contains(err.Error(), "not encrypted") {
		t.Error(err)
	}
}

// All that the plugin ships can be planned here, and no two agents have one id (behaviour 381).
func TestShippedRegistry(t *testing.T) {
	list, err := readFile("../../lua/nvim-acp/agents/registry.json")
	if err != nil {
		t.Fatal(err)
	}
	if len(list.Agents) < 30 {
		t.Errorf("it has %d agents", len(list.Agents))
	}
	seen := map[string]bool{}
	for _, a := range list.Agents {
		p, err := Make(a, "/root", "linux-x86_64", func(string) bool { return true })
		if err != nil || a.Description == "" || p.Name == "" || seen[a.ID] {
			t.Errorf("%s: %v", a.ID, err)
		}
		seen[a.ID] = true
	}
}
