package rules

import (
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/internal/seedtest"
)

// evilScripts run or write something in some sed, or might.
var evilScripts = []string{
	`/[/s/]/ePWN;/p`, `/[/s/]/e PWN \/x;/p`, `s/[/]/wPW/`, `s/[/]/x/ePWN/p`, `/[^/s/]/ePWN;/p`, `/[]/s/]/ePWN;/p`, `/[[:/s/:]/]/ePWN/p`, `s/a/[/;ePWN;s/]/b/`, `/a/,/[/s/]/ePWN;/p`,
	`/[\/s/]/ePWN;/p`, `s/[\/]/x/w PW/`, `s/é\/x/y/`, `/é/p`, "/a\nePWN\n/p", "s/a/b\\\nc/", `\c/cePWN`, `\,a,ePWN`, `s,a,b,`, `s|a|b|e`, `/a/Ip`, `/a/MePWN`, `s/a/b/M`, `s/a/b/e`, `s/a/b/wPW`,
	`y/a/b/`, `1{p}`, `p}`, `p;ePWN`, `p;p`, `s/\c//ePWN/`, `s/a/\cx/`, `/\x5b/p`, `s/a/b/m`, `1,/[/p`, `r/dev/stdin`, `s/a/b/#x`, `s/[[]/x/`, `s/[.[.]x/y/`,
}

// A script of sed that runs or writes something for one sed is none that only prints, wherever that sees the end of a text: by brackets, by
// another delimiter, by a line's end, by flags (behaviours 830, 966).
func TestSedScripts(t *testing.T) {
	for _, script := range evilScripts {
		for _, command := range []string{"sed " + asWord(script) + " x", "sed -n " + asWord(script) + " x"} {
			if v := Judge(generous(), Request{Kind: "execute", Cwd: "/nowhere/p", Command: command}); v.Action == "allow" {
				t.Errorf("%s is allowed", command)
			}
		}
	}
	for _, script := range []string{`1,20p`, `$!d`, `/start/,/end/p`, `s/foo/bar/g`, `s/a\/b/c/`, `s/[0-9]*$//`, `s/[^a-z]//2p`, `s/\[x\]/y/`, `s/\(a\)/<\1>/`, `/^\s*#/d`, `0,/x/d`, `s/"a"/'b'/I`} {
		if v := Judge(generous(), Request{Kind: "execute", Cwd: "/nowhere/p", Command: "sed " + asWord(script) + " x"}); v.Action != "allow" {
			t.Errorf("sed %s: got %s: %s", script, v.Action, v.Why)
		}
	}
}

// asWord is a text as one word of a shell.
func asWord(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// sedPieces are what scripts at random are made of.
var sedPieces = strings.Split("/|/|/|[|]|[|]|[^|\\|\\/|\\[|\\]|s|s/|p|d|;|e PWN|ePWN|w PW|wPW|a|x|[a]|[a-b]|,|1|$|!|I|M|g|{|}|\n|\\\n|\\c|[:|:]|[.|.]|[=|y/a/b/|/s/|[/s/]|/s/]/|/ePWN;|/wPW|;/p|/ePWN;/p|[^|/e PWN \\n|#|.|*|^|-| |s,a,b,|s,|,|;|s#a#b#|y|}|{p}|g;|s@|@e|s:|:|\\,", "|")

// No script that counts as one that only prints, or that runs nothing, does more in a sed that is installed: tried with scripts at random (behaviour 966).
func TestSeds(t *testing.T) {
	var seds [][]string
	for _, sed := range [][]string{{"sed"}, {"gsed"}, {"busybox", "sed"}, {"toybox", "sed"}, {"bsdsed"}} {
		if path, err := exec.LookPath(sed[0]); err == nil {
			seds = append(seds, append([]string{path}, sed[1:]...))
		}
	}
	if seds == nil {
		t.Fatal("there is no sed")
	}
	seed := seedtest.Of(t)
	m := maker{rand.New(rand.NewPCG(seed, 0)), nil}
	s := newStage(t)
	w := newWorkshop(t, s, 0)
	sedOf := func(sed []string, script string) string {
		return strings.Join(sed, " ") + " " + asWord(script) + " x"
	}
	if !w.harmed(t, s, s.shells[0], sedOf([]string{"sed"}, "1e PWN")) && !w.harmed(t, s, s.shells[0], sedOf([]string{"sed"}, "w PW")) {
		t.Fatal("harm is not seen")
	}
	seen := map[string]bool{}
	for until := time.Now().Add(3 * time.Second); time.Now().Before(until); {
		script := pick(m, evilScripts)
		for range m.IntN(4) {
			at := m.IntN(len(script) + 1)
			script = script[:at] + pick(m, sedPieces) + script[min(len(script), at+m.IntN(3)):]
		}
		args := []word{{text: script, fixed: true, one: true}, {text: "x", fixed: true, one: true}}
		if seen[script] || !sedReads(args, 0) && sedRuns(args) {
			continue
		}
		seen[script] = true
		for _, sed := range seds {
			if w.harmed(t, s, s.shells[0], sedOf(sed, script)) {
				t.Errorf("-commands.seed %d: %s runs or writes something by %q", seed, filepath.Base(strings.Join(sed, " ")), script)
			}
		}
	}
	if len(seen) < 50 {
		t.Errorf("only %d scripts are tried", len(seen))
	}
	t.Logf("%d scripts are tried by %d seds", len(seen), len(seds))
}
