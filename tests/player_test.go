package tests

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/internal/seedtest"
)

var (
	playerFor  = flag.Duration("player", playerTime, "how long TestPlayer plays")
	playerOnly = flag.String("player.only", "", "its acts, comma separated; \"\" for all")
)

// TestPlayer plays a user of the whole program at random, against an agent that behaves at random. Whenever both have come to rest
// the laws hold; see playerLaws.
func TestPlayer(t *testing.T) {
	t.Parallel()
	p := newPlayer(t, seedtest.Of(t))
	defer func() { t.Logf("%d acts: %v", len(p.log), p.counts) }()
	for end := time.Now().Add(*playerFor); time.Now().Before(end); {
		for range 1 + p.order.IntN(6) {
			if err := p.act(); err != nil {
				p.fail(err)
			}
		}
		if err := p.rest(); err != nil {
			p.fail(err)
		}
	}
	if err := p.rest(); err != nil {
		p.fail(err)
	}
	if err := p.finish(); err != nil {
		p.fail(err)
	}
}

// gamer is the user, and what the laws need to know of what they did.
type gamer struct {
	t      *testing.T
	s      *story
	home   *editor // where the user is …
	e      *editor // … and where something is being done
	seed   uint64
	order  *rand.Rand // of the acts: what a seed does does not hang on how quick anything is …
	rand   *rand.Rand // … and that of the one that is being done
	agent  *actor
	dir    string
	env    []string // of each Neovim
	acts   int      // begun
	rests  int
	n      int // of words
	log    []string
	counts map[string]int

	prompts  []sent
	modes    map[string][]string        // that were chosen, by local id of the session; the first is what it began with
	typed    map[string]map[string]bool // words of the user by file
	closed   map[string]bool            // sessions
	from     map[string]string          // the session that one goes on from, "" for a new one
	detached bool
	other    *editor // another Neovim in the folder, nil: none yet
	saves    saves   // of words, while an agent of that is at work or not
	allowed  int     // requests that were answered so
	ruled    bool    // a rule was made: it allows more
}

// sent is a prompt of the user's.
type sent struct {
	word, session string
	modes         int    // how many had been chosen by then
	waits         string // the session in whose queue or prompt it is
	stopped       bool   // maybe before the agent had it …
	shown         bool   // … but it is in the transcript, or was
}

func newPlayer(t *testing.T, seed uint64) *gamer {
	t.Helper()
	dir := t.TempDir()
	var b strings.Builder
	for i := range 30 {
		fmt.Fprintf(&b, "base %d\n", i)
	}
	for _, name := range playerFiles {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"commit", "-q", "-m", "first"}} {
		if err := playerGit(dir, args...); err != nil {
			t.Fatal(err)
		}
	}
	p := &gamer{
		t: t, seed: seed, order: rand.New(rand.NewPCG(seed, 0)), agent: newActor(t, dir, seed), dir: dir, counts: map[string]int{},
		modes: map[string][]string{}, typed: map[string]map[string]bool{}, closed: map[string]bool{}, from: map[string]string{},
	}
	p.begin()
	return p
}

// begin starts Neovim with a chat.
func (p *gamer) begin() {
	p.s = &story{root: plugin(p.t), mark: "NVIM_ACP_STORY=player" + filepath.Base(runDir(p.t))}
	home := runDir(p.t)
	p.env = append(cleanEnv(), p.s.mark, "XDG_RUNTIME_DIR="+home, "GORACE=atexit_sleep_ms=0")
	for _, name := range []string{"CONFIG", "DATA", "STATE", "CACHE"} {
		p.env = append(p.env, "XDG_"+name+"_HOME="+filepath.Join(home, name))
	}
	p.t.Cleanup(p.s.killDetached)
	p.home = p.open()
	p.e, p.s.editor = p.home, p.home
	p.lua(`acp.chat({ focus = false })`)
}

// open starts a Neovim in the folder.
func (p *gamer) open() *editor {
	e, err := startEditor(p.s.root, p.dir, p.env)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(e.close)
	if err := e.AttachUI(100, 40, map[string]any{"ext_linegrid": true, "rgb": true}); err != nil {
		p.t.Fatal(err)
	}
	idle := any(false) // never
	if p.seed%4 == 1 {
		idle = 0.02
	}
	_, err = e.lua(`local file, seed, command, socket, idle = ...
		acp, P = require("nvim-acp"), dofile(file)
		math.randomseed(seed)
		acp.setup({
			agent = "scripted", agents = { scripted = { command = command, args = { socket } } },
			start = { idle_minutes = idle or nil },
		})`, filepath.Join(p.s.root, "tests/testdata/player.lua"), p.seed%(1<<31), mustLook("wire-agent"), p.agent.socket, idle)
	if err != nil {
		p.t.Fatal(err)
	}
	return e
}

func playerGit(dir string, args ...string) error {
	cmd := exec.Command("git", append([]string{"-c", "user.name=x", "-c", "user.email=x", "-C", dir}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %v: %w: %s", args, err, out)
	}
	return nil
}

func (p *gamer) lua(code string, args ...any) string {
	p.t.Helper()
	out, err := p.e.lua(code, args...)
	if err != nil {
		p.fail(fmt.Errorf("%.200s: %w", code, err))
	}
	return out
}

// clock is when something was done.
const clock = "15:04:05.000 "

func (p *gamer) note(format string, args ...any) {
	p.log = append(p.log, time.Now().Format(clock)+fmt.Sprintf(format, args...))
}

func (p *gamer) word(kind string) string {
	p.n++
	return fmt.Sprintf("%s%05dz", kind, p.n)
}

// fail ends the test with what is needed to see why.
func (p *gamer) fail(err error) {
	p.t.Helper()
	did := slices.Clone(p.log)
	p.agent.do(func() { did = append(did, p.agent.reached...) })
	for _, e := range p.neovims() {
		var changes []string
		if e.ask(`return P.log`, &changes) == nil {
			did = append(did, changes...)
		}
	}
	slices.SortStableFunc(did, func(a, b string) int { return strings.Compare(a[:len(clock)], b[:len(clock)]) })
	if !testing.Verbose() {
		named := regexp.MustCompile(`\b(?:[a-z]\d{5}z|[0-9a-f]{8})\b`).FindAllString(err.Error(), -1)
		about := func(line string) bool {
			return slices.ContainsFunc(named, func(name string) bool { return strings.Contains(line, name) })
		}
		early := did[:max(0, len(did)-400)]
		did = append(slices.DeleteFunc(early, func(line string) bool { return !about(line) }), did[len(early):]...)
	}
	p.t.Fatalf("%v\n\n%s\n\n%s", err, strings.Join(did, "\n"), p.e.scene())
}

// chatState is a session as Neovim has it.
type chatState struct {
	ID       string   `msgpack:"id"`
	From     string   `msgpack:"from"` // the session that it goes on from
	Remote   string   `msgpack:"remote"`
	State    string   `msgpack:"state"`
	Mode     string   `msgpack:"mode"`
	Pending  int      `msgpack:"pending"`
	Form     bool     `msgpack:"form"`
	Behind   bool     `msgpack:"behind"` // the program has not said that it has done all that the user wants
	Placed   bool     `msgpack:"placed"`
	Queue    []string `msgpack:"queue"`
	Waits    int      `msgpack:"waits"` // of the queue, for a turn's end; others are held
	Prompt   string   `msgpack:"prompt"`
	Text     string   `msgpack:"text"`
	Used     int      `msgpack:"used"`     // tokens of the context, 0: not known
	Children int      `msgpack:"children"` // subagents that work
}

// sessions are those of Neovim. One that goes on from another has its modes.
func (p *gamer) sessions() (list []chatState, err error) {
	err = p.e.ask(`return P.sessions()`, &list)
	for _, s := range list {
		if _, known := p.from[s.ID]; !known {
			p.from[s.ID], p.modes[s.ID] = s.From, slices.Clone(p.modes[s.From])
		}
	}
	return list, err
}

// act does the next thing that makes sense now. The seed says what comes next, and what is chosen in it.
func (p *gamer) act() error {
	list, err := p.sessions()
	if err != nil {
		return err
	}
	chats := slices.DeleteFunc(list, func(s chatState) bool { return s.Placed })
	for range 1000 {
		a := p.nextAct()
		p.acts++
		p.rand = rand.New(rand.NewPCG(p.seed, 100+uint64(p.acts)))
		if a.chats && len(chats) == 0 || p.detached != (a.name == "attach") {
			continue
		}
		var s chatState
		if len(chats) > 0 {
			s = chats[p.rand.IntN(len(chats))]
		}
		p.counts[a.name]++
		p.note("%s (%s %s)", a.name, s.ID, s.State)
		if err := a.do(p, s); err != nil {
			return fmt.Errorf("%s: %w", a.name, err)
		}
		return p.keys()
	}
	return nil
}

// nextAct chooses one, by their weights.
func (p *gamer) nextAct() playerAct {
	if p.detached {
		return playerActs[slices.IndexFunc(playerActs, func(a playerAct) bool { return a.name == "attach" })]
	}
	total := 0
	var can []playerAct
	for _, a := range playerActs {
		if *playerOnly == "" || slices.Contains(strings.Split(*playerOnly, ","), a.name) {
			can = append(can, a)
			total += a.weight
		}
	}
	at := p.order.IntN(total)
	for _, a := range can {
		if at -= a.weight; at < 0 {
			return a
		}
	}
	panic("unreachable")
}

// keys types, and waits until Neovim has come to the end of them and is in Normal mode. A question of Neovim's whether to write a
// file that has changed is one that nobody can keep away, if the agent writes at the same moment.
func (p *gamer) keys(keys ...string) error {
	const end = "<F7>"
	p.lua(`P.ends = 0`)
	for _, k := range append(keys, end) {
		if _, err := p.e.Input(k); err != nil {
			return err
		}
	}
	asked := false
	err := poll(patience, func() (bool, error) {
		m, err := p.e.Mode()
		if err != nil {
			return false, err
		}
		screen := p.e.screen.text()
		switch {
		case !m.Blocking && m.Mode == "n":
			if asked { // it may have taken the end for an answer
				asked = false
				_, err = p.e.Input(end)
			}
			return p.lua(`P.ends`) != "0", err
		case !m.Blocking && m.Mode != "r" && m.Mode != "rm" && m.Mode != "r?":
		case strings.Contains(screen, "Do you really want to write to it"): // whatever the width
			p.note("Neovim asks whether to write")
			p.counts["asked"]++
			asked = true
			_, err = p.e.Input("n")
		default:
			asked = true
			_, err = p.e.Input("<CR>")
		}
		return false, err
	})
	if err != nil {
		return fmt.Errorf("Neovim is not ready after %q: %w", keys, err)
	}
	return nil
}
