package rewind

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/buffers"
)

func file(text string) Content   { return Content{Data: []byte(text)} }
func script(text string) Content { return Content{Data: []byte(text), Exec: true} }
func link(target string) Content { return Content{Data: []byte(target), Link: true} }

var missing = Content{Missing: true}

// Each case is one file (behaviour 1374).
func TestPlan(t *testing.T) {
	lines := func(words string) Content { return file(strings.ReplaceAll(words, " ", "\n") + "\n") }
	for _, test := range []struct {
		name    string
		steps   []Step
		now     Content
		want    Content
		refused string
	}{
		{"untouched since", []Step{{Before: lines("a b"), After: lines("a c")}}, lines("a c"), lines("a b"), ""},
		{"two steps", []Step{{Before: lines("a"), After: lines("b")}, {Before: lines("b"), After: lines("c")}}, lines("c"), lines("a"), ""},
		{"the user's lines stay", []Step{{Before: lines("a b c d e"), After: lines("a X c d e")}}, lines("a X c d mine e"), lines("a b c d mine e"), ""},
		{"the user's between two steps stay", []Step{
			{Before: lines("a b c"), After: lines("X b c")},
			{Before: lines("X b c mine"), After: lines("X b Y mine")},
		}, lines("X b Y mine"), lines("a b c mine"), ""},
		{"changed since in the same lines", []Step{{Before: lines("a b c"), After: lines("a X c")}}, lines("a Xmine c"), lines("a Xmine c"), overlaps},
		{"taken back by the user", []Step{{Before: lines("a"), After: lines("b")}}, lines("a"), lines("a"), ""},
		{"created", []Step{{Before: missing, After: lines("a b")}}, lines("a b"), missing, ""},
		{"created, and the user has added to it", []Step{{Before: missing, After: lines("a b")}}, lines("a b mine"), lines("mine"), ""},
		{"created and deleted since", []Step{{Before: missing, After: lines("a")}}, missing, missing, ""},
		{"deleted", []Step{{Before: script("a"), After: missing}}, missing, script("a"), ""},
		{"deleted, and the user has made it again", []Step{{Before: lines("a"), After: missing}}, lines("b"), lines("b"), createdSince},
		{"changed, and the user has deleted it", []Step{{Before: lines("a"), After: lines("b")}}, missing, missing, deletedSince},
		{"deleted and created again", []Step{{Before: lines("a"), After: missing}, {Before: missing, After: lines("b")}}, lines("b"), lines("a"), ""},
		{"deleted and created again, and the user has added to it", []Step{
			{Before: lines("a b c"), After: missing}, {Before: missing, After: lines("X b c")},
		}, lines("X b c mine"), lines("a b c mine"), ""},
		{"deleted, and changed in its buffer, which was there", []Step{
			{Before: lines("a b c"), After: missing}, {Before: lines("a b c typed"), After: lines("X b c typed")},
		}, lines("X b c typed mine"), lines("a b c typed mine"), ""},
		{"the same, of which the disk has less", []Step{
			{Before: lines("a b c typed"), After: missing}, {Before: lines("a b c typed"), After: lines("X b c typed")},
		}, lines("X b c"), lines("a b c"), ""},
		{"the same twice", []Step{
			{Before: lines("a b c"), After: missing}, {Before: missing, After: lines("X b c")},
			{Before: lines("X b c"), After: missing}, {Before: missing, After: lines("Y b c")},
		}, lines("Y b c mine"), lines("a b c mine"), ""},
		{"deleted and created again, and taken back in part", []Step{
			{Before: lines("a b"), After: missing}, {Before: missing, After: lines("X b")},
		}, missing, lines("a b"), ""},
		{"created, deleted and created again, and the user has added to it", []Step{
			{Before: missing, After: lines("a b")}, {Before: lines("a b"), After: missing}, {Before: missing, After: lines("a b")},
		}, lines("a b mine"), lines("mine"), ""},
		{"of a file whose turn is taken back", []Step{{Before: lines("a b"), After: lines("a b c"), New: true}}, lines("c"), missing, ""},
		{"the same, and the user has added to it", []Step{{Before: lines("a b"), After: lines("a b c"), New: true}}, lines("c mine"), lines("mine"), ""},
		{"the same, which the user had made again, empty", []Step{{Before: file(""), After: lines("c"), New: true}}, lines("c"), file(""), ""},
		{"of a file that was there and empty", []Step{{Before: file(""), After: lines("c")}}, lines("c"), file(""), ""},
		{"no line end", []Step{{Before: file("a\nb"), After: file("a\nc\n")}}, file("a\nc\n"), file("a\nb"), ""},
		{"no line end, and changed since", []Step{{Before: file("a\nb\nc"), After: file("X\nb\nc\n")}}, file("X\nb\nmine\n"), file("a\nb\nmine"), ""},
		{"carriage returns", []Step{{Before: file("a\r\nb\r\nc\r\n"), After: file("a\r\nX\r\nc\r\n")}}, file("a\r\nX\r\nc\r\nmine\r\n"), file("a\r\nb\r\nc\r\nmine\r\n"), ""},
		{"mode", []Step{{Before: file("a\n"), After: script("a\n")}}, script("a\n"), file("a\n"), ""},
		{"mode, and the text changed since", []Step{{Before: file("a\n"), After: script("a\n")}}, script("b\n"), file("b\n"), ""},
		{"text, and the mode changed since", []Step{{Before: file("a\n"), After: file("b\n")}}, script("b\n"), script("a\n"), ""},
		{"link", []Step{{Before: link("a"), After: link("b")}}, link("b"), link("a"), ""},
		{"link, changed since", []Step{{Before: link("a"), After: link("b")}}, link("c"), link("c"), notText},
		{"not text", []Step{{Before: file("a\x00"), After: file("b\x00")}}, file("b\x00"), file("a\x00"), ""},
		{"not text, changed since", []Step{{Before: file("a\x00"), After: file("b\x00")}}, file("c\x00"), file("c\x00"), notText},
		{"text, made something else", []Step{{Before: file("a\n"), After: file("b\x00")}}, file("c\n"), file("c\n"), notText},
		{"latin1, whose step is of a buffer", []Step{{Before: file("a\né\n"), After: file("X\né\n")}}, file("X\n\xe9\n"), file("a\n\xe9\n"), ""},
		{"latin1, changed since", []Step{{Before: file("a\n\xe9\nc\n"), After: file("X\n\xe9\nc\n")}}, file("X\n\xe9\n\xe8\n"), file("a\n\xe9\n\xe8\n"), ""},
		{"latin1 in a buffer", []Step{{Before: file("a\n\xe9\n"), After: file("X\n\xe9\n")}}, file("X\né\n"), file("a\né\n"), ""},
		{"a wrong byte in UTF-8", []Step{{Before: file("é\nb\xe9\nc\n"), After: file("é\nc\n")}}, file("é\nc\nè\n"), file("é\nb\xe9\nc\nè\n"), ""},
		{"latin1, the turn has left only ASCII", []Step{{Before: file("\xe9\nb\nc\n"), After: file("X\nb\nc\n")}}, file("X\nb\nmine\nc\n"), file("\xe9\nb\nmine\nc\n"), ""},
		{"latin1, what does not fit", []Step{{Before: file("ł\n\n"), After: file("X\n\n")}}, file("X\n\n\xe9\n"), file("X\n\n\xe9\n"),
			buffers.ErrEncoding.Error() + ": 'ł' is not in latin1"},
		{"UTF-16", []Step{{Before: file("a\nb\n"), After: file("X\nb\n")}}, file("\xff\xfeX\x00\n\x00b\x00\n\x00"), file("\xff\xfea\x00\n\x00b\x00\n\x00"), ""},
		{"script created, and the user has added to it", []Step{{Before: missing, After: script("a\nb\n")}}, script("a\nb\nmine\n"), script("mine\n"), ""},
		{"empty", []Step{{Before: file(""), After: lines("a")}}, lines("a"), file(""), ""},
		{"a conflict that was there stays", []Step{{Before: lines("a b c"), After: lines("a b X")}},
			file("a\n<<<<<<< yours\n1\n=======\n2\n>>>>>>> agent\nb\nX\n"), file("a\n<<<<<<< yours\n1\n=======\n2\n>>>>>>> agent\nb\nc\n"), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			for i := range test.steps {
				test.steps[i].Path = "/a"
			}
			got := Action{Then: test.now}
			for _, got = range Plan(test.steps, func(string) (Content, error) { return test.now, nil }) {
			}
			if !got.Then.Equal(test.want) || got.Refused != test.refused {
				t.Errorf("got %q %+v, want %q %+v", got.Refused, got.Then, test.refused, test.want)
			}
		})
	}
}

// Each file is planned by itself, in the order of their paths, with the lines that come and go.
func TestPlanFiles(t *testing.T) {
	now := map[string]Content{"/same": file("a\n"), "/b": file("1\n2\nX\n"), "/a": missing}
	got := Plan([]Step{
		{"/same", file("a\n"), file("b\n"), nil, false},
		{"/b", file("1\n"), file("1\n2\nX\n"), nil, false},
		{"/c", file(""), file("1\n"), nil, false},
		{"/a", file("1\n2\n"), missing, nil, false},
	}, func(path string) (Content, error) {
		if c, ok := now[path]; ok {
			return c, nil
		}
		return Content{}, errors.New("not readable")
	})
	var lines []string
	for _, a := range got {
		lines = append(lines, fmt.Sprintf("%s +%d -%d %s", a.Path, a.Added, a.Removed, a.Refused))
	}
	if want := []string{"/a +2 -0 ", "/b +0 -2 ", "/c +0 -0 not readable"}; !slices.Equal(lines, want) {
		t.Errorf("got %q, want %q", lines, want)
	}
}

var histories = flag.Int("histories", 1000, "random histories that TestHistories plays")

// Whatever agent and user have done to a file in turn, taking the agent's steps back leaves every word of the user's and none
// of the agent's, or is refused; and taking that back again gives what was there.
func TestHistories(t *testing.T) {
	refused := 0
	for seed := range *histories {
		r := rand.New(rand.NewPCG(uint64(seed), 2))
		text, words := []string{}, 0
		word := func(who string) string { words++; return fmt.Sprint(who, words) }
		for range r.IntN(12) {
			text = append(text, word("base"))
		}
		content := func() Content {
			return Content{Data: []byte(buffers.Text{Lines: text, EOL: true}.String()), Missing: len(text) == 0}
		}
		users := map[string]bool{} // words by the user that are there

		var steps []Step
		for range 1 + r.IntN(8) {
			before := content()
			agent := r.IntN(2) == 0
			at := r.IntN(len(text) + 1)
			if !agent && r.IntN(2) == 0 || agent && r.IntN(3) > 0 {
				who := "user"
				if agent {
					who = "agent"
				}
				w := word(who)
				users[w] = !agent
				text = slices.Insert(text, at, w)
			} else if at < len(text) && !(agent && users[text[at]]) {
				delete(users, text[at])
				text = slices.Delete(text, at, at+1)
			}
			if after := content(); agent && !after.Equal(before) {
				steps = append(steps, Step{"/a", before, after, nil, false})
			}
		}

		now := content()
		plan := Plan(steps, func(string) (Content, error) { return now, nil })
		then := now
		for _, a := range plan {
			if a.Refused != "" {
				refused++
				continue
			}
			then = a.Then
			got := string(a.Then.Data)
			if strings.Contains(got, "agent") {
				t.Fatalf("seed %d: %q has words of the agent's", seed, got)
			}
			again := Plan([]Step{a.Step()}, func(string) (Content, error) { return a.Then, nil })
			if len(again) != 1 || !again[0].Then.Equal(now) {
				t.Fatalf("seed %d: taken back twice it is %+v, was %q", seed, again, now.Data)
			}
		}
		for w, there := range users {
			if there && !slices.Contains(strings.Split(string(then.Data), "\n"), w) {
				t.Fatalf("seed %d: %q lacks %s", seed, then.Data, w)
			}
		}
	}
	if refused*3 > *histories {
		t.Errorf("%d of %d are refused", refused, *histories)
	}
	t.Logf("%d of %d refused", refused, *histories)
}
