package skills

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// tree makes files below a new folder, with what is written in them.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func all(Folder) bool { return true }

func names(list []Skill) []string {
	var out []string
	for _, s := range list {
		out = append(out, s.Name)
	}
	return out
}

func TestParse(t *testing.T) {
	tests := []struct{ name, text, wantName, wantDescription, wantText string }{
		{"first line", "# How to deploy\n\nDo it.\n", "file", "How to deploy", "# How to deploy\n\nDo it."},
		{"front matter", "---\nname: deploy\ndescription: How to deploy\n---\nDo it.\n", "deploy", "How to deploy", "Do it."},
		{"folded", "---\ndescription: >-\n  How to\n  deploy\n---\nDo it.", "file", "How to deploy", "Do it."},
		{"quoted", "---\ndescription: \"How: to \\u0022deploy\\u0022\"\n---\nDo it.", "file", `How: to "deploy"`, "Do it."},
		{"no YAML", "---\nname: a\ndescription: Use when: it is time\n---\nDo it.", "a", "Use when: it is time", "Do it."},
		{"carriage returns", "---\r\nname: a\r\n---\r\nDo it.\r\n", "a", "Do it.", "Do it."},
		{"no end", "---\nname: a\nDo it.", "file", "---", "---\nname: a\nDo it."},
		{"no text", "---\nname: a\ndescription: d\n---\n", "a", "d", ""},
		{"other types", "---\nname: [1, 2]\ndescription: {a: b}\n---\nDo it.", "file", "Do it.", "Do it."},
		{"nothing known", "---\nlicense: MIT\n---\nDo it.", "file", "Do it.", "Do it."},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := Skill{Name: "file"}
			s.parse(test.text)
			if got, want := []string{s.Name, s.Description, s.Text}, []string{test.wantName, test.wantDescription, test.wantText}; !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add("---\nname: &a [*a]\n---\nx")
	f.Add("---\r\n---\n")
	f.Fuzz(func(t *testing.T, text string) {
		s := Skill{Name: "file"}
		s.parse(text)
		if s.Name == "" || strings.ContainsAny(s.Name+s.Description, "\r\n") || len([]rune(s.Description)) > maxDescription {
			t.Errorf("%q gives %q: %q", text, s.Name, s.Description)
		}
	})
}

// The project's skills come before the user's, and an untrusted one does not hide the user's of the same name.
func TestOrder(t *testing.T) {
	cwd := tree(t, map[string]string{".agents/skills/b/SKILL.md": "Project b", ".agents/skills/c.md": "Project c", ".agents/skills/README.md": "no skill", ".agents/skills/other/notes.txt": "no skill", ".agents/skills/LICENSE": "no skill"})
	home := tree(t, map[string]string{".agents/skills/a.md": "Mine a", ".agents/skills/b.md": "Mine b", "more/d.md": "Mine d"})
	found := Find(cwd, home, []string{".agents/skills", "~/more"})
	if got, want := names(Effective(found, all)), []string{"b", "c", "a", "d"}; !slices.Equal(got, want) {
		t.Errorf("trusted: got %v, want %v", got, want)
	}
	none := func(Folder) bool { return false }
	if got, want := names(Effective(found, none)), []string{"a", "b", "d"}; !slices.Equal(got, want) {
		t.Errorf("not trusted: got %v, want %v", got, want)
	}
	if again := Find(home, home, []string{".agents/skills"}); len(again) != 1 || again[0].Project {
		t.Errorf("at home: got %+v, want one folder of the user's", again)
	}
}

// Files that are not text or would block are reported and skipped; links do not lead out of a project.
func TestOddFiles(t *testing.T) {
	out := tree(t, map[string]string{"secret.md": "secret", "skills/x.md": "elsewhere"})
	cwd := tree(t, map[string]string{
		"s/binary.md": "a\x00b", "s/latin.md": "caf\xe9", "s/huge.md": strings.Repeat("x", maxText+1), "s/empty.md": "", "s/good.md": "good", "s/bom.md": "\ufeff# Bom",
		"s/folder.md/SKILL.md": "x", "inside.md": "inside",
	})
	for link, to := range map[string]string{"s/out.md": out + "/secret.md", "s/in.md": "../inside.md", "s/gone.md": "nowhere", "linked": out + "/skills", "s/loop.md": "loop.md", "above": ".."} {
		if err := os.Symlink(to, filepath.Join(cwd, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(cwd, "s/fifo.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	found := Find(cwd, "/nowhere", []string{"s", "linked", "missing", "above"})
	if got, want := names(Effective(found, all)), []string{"bom", "good", "in"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if len(found) != 3 {
		t.Fatalf("got %+v", found)
	}
	for _, f := range found[1:] {
		if f.Problem == "" || len(f.Skills) != 0 {
			t.Errorf("a folder that leads out of the project: got %+v", f)
		}
	}
	for _, s := range found[0].Skills {
		if strings.Contains(s.Text, "secret") {
			t.Errorf("%s was read", s.Path)
		}
	}
	mine := Find("/nowhere", cwd, []string{"linked"})
	if got := names(Effective(mine, all)); !slices.Equal(got, []string{"x"}) {
		t.Errorf("the user's own link: got %v", got)
	}
}

// Trust depends on the text of the skills only (behaviour 225).
func TestHash(t *testing.T) {
	cwd := tree(t, map[string]string{"s/a/SKILL.md": "one", "s/a/run.sh": "x"})
	hash := func() string { return Find(cwd, "", []string{"s"})[0].Hash }
	first := hash()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(cwd, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("s/a/run.sh", "y")
	if hash() != first {
		t.Error("a script beside it changes the hash")
	}
	for _, text := range []string{"two", "---\ndescription: x\n---\ntwo", "---\ndescription: y\n---\ntwo", "---\nname: b\ndescription: y\n---\ntwo"} {
		before := hash()
		write("s/a/SKILL.md", text)
		if hash() == before {
			t.Errorf("%q has the same hash as what was there", text)
		}
	}
}

func TestTooMany(t *testing.T) {
	files := map[string]string{}
	for i := range maxSkills + 5 {
		files[fmt.Sprintf("s/%03d.md", i)] = "text"
	}
	f := Find(tree(t, files), "", []string{"s"})[0]
	if len(f.Skills) != maxSkills || f.Problem == "" {
		t.Errorf("got %d skills and %q", len(f.Skills), f.Problem)
	}
}

// A message is never larger than the budget, and says what it omits.
func TestCompose(t *testing.T) {
	list := []Skill{
		{Name: "a", Description: "first", Path: "/s/a.md", Text: "Text of a."},
		{Name: "b", Description: "second", Path: "/s/b.md", Text: strings.Repeat("b", 500)},
		{Name: "c", Description: "third", Path: "/s/c.md", Text: "Text of c."},
	}
	active := func(s Skill) bool { return s.Name != "a" }
	whole := Compose(list, active, 1<<20)
	if whole.Index != 3 || whole.Whole != 2 || len(whole.Left) != 0 {
		t.Errorf("got %+v", whole)
	}
	if !strings.Contains(whole.Text, "Text of c.") || strings.Contains(whole.Text, "Text of a.") {
		t.Errorf("got %s", whole.Text)
	}
	for budget := range len(whole.Text) + 2 {
		m := Compose(list, active, budget)
		if len(m.Text) > budget {
			t.Fatalf("budget %d: %d bytes", budget, len(m.Text))
		}
		if m.Index+m.Whole+len(m.Left) < 3 {
			t.Fatalf("budget %d: something is left out in silence: %+v", budget, m)
		}
	}
	small := Compose(list, active, len(whole.Text)-400)
	if !slices.Equal(small.Left, []string{"the text of b"}) || small.Whole != 1 {
		t.Errorf("got %+v", small)
	}
	if none := Compose(nil, active, 1000); none.Text != "" {
		t.Errorf("got %q of nothing", none.Text)
	}
}
