package tests

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/internal/seedtest"
)

const (
	raceLines  = 2000
	raceWrites = 200
)

// TestTypingRace has a user type through every mode of behaviour 202 while an agent rewrites the same buffer, first by
// fs/write_text_file, then on the disk. In the end every typed line is there exactly once.
func TestTypingRace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "race.txt")
	if err := os.WriteFile(file, []byte(raceText("", "")), 0o666); err != nil {
		t.Fatal(err)
	}
	e := raceEditor(t, dir, raceScript(t, dir))
	if err := e.Command("edit race.txt"); err != nil {
		t.Fatal(err)
	}
	if _, err := e.lua(`require("nvim-acp").chat({ focus = false })`); err != nil {
		t.Fatal(err)
	}
	if err := e.wait(`require("nvim-acp").status().state == "idle"`); err != nil {
		t.Fatal(err)
	}
	if _, err := e.lua(`require("nvim-acp").prompt("go")`); err != nil {
		t.Fatal(err)
	}
	if err := e.wait(`vim.uv.fs_stat("ready") ~= nil`); err != nil { // what the agent has read, it may take away
		t.Fatal(err)
	}
	seed := seedtest.Of(t)
	y := typist{e: e, rand: rand.New(rand.NewPCG(seed, 0)), want: map[string]int{}, pace: time.NewTicker(6 * time.Millisecond)}
	defer y.pace.Stop()
	for done, end := false, time.Now().Add(2*time.Minute); !done; {
		if time.Now().After(end) {
			t.Fatal("the agent's writes starve")
		}
		if err := y.act(); err != nil {
			t.Fatal(err)
		}
		_, err := os.Stat(filepath.Join(dir, "done"))
		done = err == nil
	}
	if err := e.wait(`require("nvim-acp").status().state == "idle"`); err != nil {
		t.Fatal(err)
	}
	if err := e.wait(`not require("nvim-acp.files.watch").open()`); err != nil {
		t.Fatal(err)
	}
	text, err := e.lua(`table.concat(vim.api.nvim_buf_get_lines(1, 0, -1, false), "\n")`)
	if err != nil {
		t.Fatal(err)
	}
	y.check(t, text)
}

// raceText is the agent's file: every 50th line has the one word in it, those halfway between the other.
func raceText(even, odd string) string {
	var b strings.Builder
	for i := range raceLines {
		word := "base"
		switch i % 50 {
		case 0:
			word += even
		case 25:
			word += odd
		}
		fmt.Fprintf(&b, "%s %d\n", word, i)
	}
	return b.String()
}

// raceScript is what the agent plays.
func raceScript(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "agent.script")
	script := fmt.Sprintf(`< initialize
> {"protocolVersion": 1}
< session/new
> {"sessionId": "s"}
< session/prompt
> request fs/read_text_file {"sessionId": "s", "path": "$CWD/race.txt"}
< {}
write ready ""
repeat %d
> request fs/write_text_file {"sessionId": "s", "path": "$CWD/race.txt", "content": %q}
< {}
end
repeat %d
write race.txt %q
> request fs/read_text_file {"sessionId": "s", "path": "$CWD/race.txt", "limit": 1}
< {}
end
write done ""
> {"stopReason": "end_turn"}
`, raceWrites/2, raceText(" agent $i", ""), raceWrites/2, raceText(fmt.Sprint(" agent ", raceWrites/2), " disk $i"))
	if err := os.WriteFile(path, []byte(script), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// raceEditor starts a Neovim with a screen in dir.
func raceEditor(t testing.TB, dir, script string) *editor {
	t.Helper()
	return agentEditor(t, dir, agentProgram(), "agent", "--script", script)
}

// agentEditor starts a Neovim with a screen, in dir, that uses an agent of that command.
func agentEditor(t testing.TB, dir, command string, args ...string) *editor {
	t.Helper()
	var env []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "NVIM") && !strings.HasPrefix(v, "XDG_") {
			env = append(env, v)
		}
	}
	for _, name := range []string{"CONFIG", "DATA", "STATE", "CACHE"} {
		env = append(env, "XDG_"+name+"_HOME="+filepath.Join(dir, ".home", name))
	}
	env = append(env, "XDG_RUNTIME_DIR="+runDir(t)) // without it there are hosts of others
	e, err := startEditor(plugin(t), dir, append(env, "GORACE=atexit_sleep_ms=0"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.close)
	_, err = e.lua(`
		local command, args = ...
		require("nvim-acp").setup({ agent = "scripted", agents = { scripted = { command = command, args = args } } })`,
		command, args)
	if err == nil {
		err = e.AttachUI(100, 40, map[string]any{"ext_linegrid": true, "rgb": true})
	}
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// typist types lines with words that occur nowhere else, and knows how often each must be found.
type typist struct {
	e    *editor
	rand *rand.Rand
	pace *time.Ticker // a key each tick: faster than any hand, slow enough for an edit to come between
	n    int
	want map[string]int
}

func (y *typist) word(times int) string {
	y.n++
	w := fmt.Sprintf("w%04dw", y.n)
	y.want[w] = times
	return w
}

// act goes to some line and types there, in one of the ways that were seen to corrupt text.
func (y *typist) act() error {
	keys := []string{fmt.Sprintf("%dG", 1+y.rand.IntN(raceLines))}
	switch y.rand.IntN(8) {
	case 0:
		keys = append(keys, "o", y.word(1), "<Esc>")
	case 1:
		keys = append(keys, "O", y.word(1), "<CR>", y.word(1), "<Esc>")
	case 2: // a completion menu, accepted or not
		end := []string{"<C-y>", "<C-e>", "<C-n><C-y>"}[y.rand.IntN(3)]
		keys = append(keys, "o", y.word(1), " ba", "<C-n>", "<C-n>", end, " ", y.word(1), "<Esc>")
	case 3: // Visual mode
		keys = append(keys, "o", y.word(0), "<Esc>", "v", "iw", "c", y.word(1), "<Esc>")
	case 4: // a blockwise insert
		keys = append(keys, "o", y.word(1), "<CR>", y.word(1), "<Esc>0", "<C-v>", "k", "I", y.word(2), " ", "<Esc>")
	case 5: // :s///c
		keys = append(keys, "o", y.word(1), " xx", "<Esc>", ":s/x/y/gc<CR>", "y", "a")
	case 6: // an operator
		keys = append(keys, "o", y.word(1), "<Esc>", ">", ">", "o", y.word(1), "<Esc>")
	case 7: // a linewise selection, moved about
		keys = append(keys, "o", y.word(1), "<Esc>", "V", "j", "k", "<Esc>")
	}
	for _, k := range keys {
		if _, err := y.e.Input(k); err != nil {
			return err
		}
		if _, err := y.e.Mode(); err != nil { // answered in every mode
			return err
		}
		<-y.pace.C
	}
	for range y.rand.IntN(8) { // a breath
		<-y.pace.C
	}
	return nil
}

func (y *typist) check(t *testing.T, text string) {
	t.Helper()
	got := map[string]int{}
	for _, w := range regexp.MustCompile(`w\d{4}w`).FindAllString(text, -1) {
		got[w]++
	}
	bad := 0
	for w, want := range y.want {
		if got[w] != want {
			t.Errorf("%s: got %d times, want %d", w, got[w], want)
			bad++
		}
	}
	if strings.Contains(text, "<<<<<<<") || !strings.Contains(text, fmt.Sprintf("base disk %d 25\n", raceWrites/2)) {
		t.Errorf("the agent's text is not as it wrote it last, or in conflict")
		bad++
	}
	t.Logf("%d words typed", len(y.want))
	if bad > 0 {
		_ = os.WriteFile(filepath.Join(os.TempDir(), "race.txt"), []byte(text), 0o600)
	}
}
