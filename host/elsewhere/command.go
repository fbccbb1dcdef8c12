package elsewhere

import (
	"context"
	"fmt"
	"maps"
	"os"
	"strconv"

	"github.com/nvim-acp/nvim-acp/host/guard"
	"github.com/nvim-acp/nvim-acp/internal/caught"
	"github.com/nvim-acp/nvim-acp/internal/programs"
)

// Command is a command that is to run in a place.
type Command struct {
	Argv []string
	Line bool              // Argv has one word: a program, or else a text for a shell
	Dir  string            // here
	Env  map[string]string // beside what all commands there have
	Name string            // marks its processes, within those of the place; "": those of the agent itself
	TTY  bool              // it is started on a terminal
	Sees []string          // folders of here that only this command reads, in a sandbox
}

// Started is how to start a command here.
type Started struct {
	Argv []string
	Env  []string // complete
	Dir  string
}

// Wrap makes a command ready to run in the place. It waits for the other side, or the disk. [Place.End] ends what it has started.
func (p *Place) Wrap(ctx context.Context, c Command) (Started, error) {
	dir, err := p.paths.There(c.Dir)
	if err != nil {
		return Started{}, err
	}

	env := map[string]string{}
	maps.Copy(env, c.Env)
	env[guard.RunVar] = p.markOf(c.Name)
	if p.spec.Direct {
		var argv []string
		if p.spec.Sandbox {
			found := p.late.look(p)
			caught.Go(func() { p.sayAll(found) }) // ends when all is said
			words, compare, err := p.box.enter(c.Sees, p.late.binds())
			if err != nil {
				if _, said := p.refused.LoadOrStore(err.Error(), true); !said {
					p.needs.Say(err.Error())
				}
				return Started{}, err
			}
			argv = append(append(words, "--chdir", dir, "--"), compare...)
		} else {
			argv = p.wrap(c.TTY, dir)
		}

		own, err := p.direct(c.Env)
		if err != nil {
			return Started{}, err
		}
		if own[givenVar] != "" {
			argv = append(argv, "/bin/sh", "-c", setGiven, "sh")
		}

		own[guard.RunVar] = env[guard.RunVar]
		return Started{Argv: append(argv, c.Argv...), Env: p.passed(own), Dir: c.Dir}, nil
	}

	name := "run-" + strconv.FormatInt(p.scripts.Add(1), 10)
	script, err := runScript(c, dir, p.spec.Title, env)
	if err != nil {
		return Started{}, err
	}

	path, err := p.line.put(ctx, name, script)
	if err != nil {
		return Started{}, fmt.Errorf("%s: %w", p.Title(), err)
	}

	argv := p.wrap(c.TTY, dir)
	if p.spec.Joined && p.spec.Login {
		argv = append(argv, "exec $SHELL -lc \"exec /bin/sh "+path+"\"")
	} else if p.spec.Joined {
		argv = append(argv, "exec /bin/sh "+path)
	} else {
		argv = append(argv, "/bin/sh", path)
	}

	return Started{Argv: argv, Env: withoutMark(os.Environ()), Dir: p.needs.Cwd}, nil
}

// givenVar has the variables of a command in a direct place, as a script, until they are set there.
const givenVar = "NVIM_ACP_GIVEN"

// setGiven is what a shell in a direct place does before a command. The values are in its environment: on a command line
// other users could read them.
const setGiven = `eval "$` + givenVar + `"; unset ` + givenVar + `; exec "$@"`

// direct returns the variables with which the program that leads into a direct place gets those that are given for a command there.
// That program runs outside: a given LD_PRELOAD would be code of the agent that does too.
func (p *Place) direct(given map[string]string) (map[string]string, error) {
	given = maps.Clone(given)
	delete(given, guard.RunVar)
	delete(given, givenVar)
	script, err := exports(given, "command ") // what a shell refuses to change is not its end
	if err != nil || script == "" {
		return map[string]string{}, err
	}
	return map[string]string{givenVar: script}, nil
}

// Login returns the words that start a command in a terminal of Neovim, with the environment that a command in the place has and no
// other. It waits for the other side.
func (p *Place) Login(ctx context.Context, c Command) ([]string, error) {
	s, err := p.Wrap(ctx, c)
	if err != nil || !p.spec.Direct {
		return s.Argv, err
	}
	path := p.private.join("login-" + strconv.FormatInt(p.scripts.Add(1), 10))
	if err := os.WriteFile(path, []byte(loginScript(s)), 0o600); err != nil {
		return nil, err
	}
	return []string{programs.Word("env"), "-i", "/bin/sh", path}, nil
}

func (p *Place) wrap(tty bool, dir string) []string {
	if tty {
		return found(p.expand(given(p.spec.TTY, p.spec.Wrap), dir))
	}
	return found(p.expand(p.spec.Wrap, dir))
}

// found has a command line begin with the path of its program.
func found(argv []string) []string {
	if len(argv) > 0 {
		argv[0] = programs.Word(argv[0])
	}
	return argv
}

// Direct reports whether commands are looked up and started as those of here.
func (p *Place) Direct() bool { return p.spec.Direct }

func (p *Place) markOf(name string) string {
	if name == "" {
		return p.mark
	}
	return p.mark + name + "/"
}

// End ends the processes of a command on the other side, however they were started: SIGTERM, then SIGKILL. It does not wait.
// Where they are children of ours it has nothing to do.
func (p *Place) End(name string) {
	if p == nil || p.line == nil {
		return
	}
	mark := p.markOf(name)
	caught.Go(func() { p.line.end(mark) }) // ends when the line takes it, or has ended
}
