package demo

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/internal/lazy"
)

// greeting is a prompt that asks for nothing.
var greeting = lazy.Regexp(`(?i)^(hi|hello|hey|hallo|thanks|thank you)\b[\s.!]*$`)

// question is a prompt that asks what is wrong rather than to put it right.
var question = lazy.Regexp(`(?i)^(explain|what|why|how|describe|review)\b`)

// answer does what the prompt asks for.
func (t *turn) answer() error {
	text := t.request.text
	if strings.HasPrefix(text, "/") {
		return t.slash(text[1:])
	}
	if l := linesOf(text); l != nil {
		return t.answerLines(l)
	}
	if greeting().MatchString(text) && len(t.request.files) == 0 {
		return t.say("Hello. I am the demo agent: no model, no network. Name a file with `@path`, or just ask me to look at " +
			"the project, and I look for a few simple flaws. `/help` lists the rest.")
	}
	return t.inspect(t.session.view().Mode == modeAsk && !question().MatchString(text))
}

// inspect reads a file, says what is wrong with it and, if it may, puts it right.
func (t *turn) inspect(mayEdit bool) error {
	path, err := t.choose()
	if err != nil {
		return err
	}
	if path == "" {
		return t.say("I looked through the files of `%s` and found none of the flaws that I know. "+
			"Name a file with `@path` to have me read "+
			"that one.", t.session.cwd)
	}

	name := t.short(path)
	steps := []string{"Read " + name, "Correct what is wrong", "Check the result"}
	t.plan(0, steps...)
	text, err := t.read(path)
	if t.ctx.Err() != nil {
		return t.ctx.Err()
	}
	if err != nil {
		return t.say("I could not read `%s`: %v.", name, err)
	}

	flaws := findFlaws(path, text)
	if err := t.explain(path, text, flaws); err != nil {
		return err
	}
	if len(flaws) == 0 {
		t.plan(len(steps), steps[0])
		return nil
	}
	if !mayEdit {
		t.plan(1, steps...)
		return t.say("I changed nothing. In the mode *Ask*, ask me to fix it and I propose the change.")
	}

	t.plan(1, steps...)
	return t.edit(path, text, flaws, steps)
}

// choose picks the file: the first that the prompt names, else the first of the project with a flaw.
func (t *turn) choose() (string, error) {
	if len(t.request.files) > 0 {
		path := t.request.files[0]
		return path, t.think("The prompt names %s, so I read that one.", t.short(path))
	}
	path, err := t.search()
	if err != nil || path == "" {
		return "", err
	}
	return path, t.think("No file is named, so I take the first one of the project with a flaw that I know: %s.", t.short(path))
}

// search looks on the disk for a file with a flaw, in the order of names, through at most 2000 entries.
func (t *turn) search() (string, error) {
	const most, largest = 2000, 256 << 10
	found, seen := "", 0
	err := filepath.WalkDir(t.session.cwd, func(path string, entry fs.DirEntry, err error) error {
		if seen++; seen > most || t.ctx.Err() != nil {
			return fs.SkipAll
		}
		if err != nil {
			return nil // a folder that cannot be read is passed over
		}
		if entry.IsDir() {
			name := entry.Name()
			if path != t.session.cwd && (strings.HasPrefix(name, ".") || name == "node_modules" || name == "vendor") {
				return fs.SkipDir
			}
			return nil
		}

		info, err := entry.Info()
		if err != nil || !info.Mode().IsRegular() || info.Size() > largest || !sourceFile(path) {
			return nil
		}
		if text, err := os.ReadFile(path); err == nil && len(findFlaws(path, string(text))) > 0 {
			found = path
			return fs.SkipAll
		}

		return nil
	})
	if t.ctx.Err() != nil {
		return "", t.ctx.Err()
	}

	return found, err
}

// explain says what is wrong with a text.
func (t *turn) explain(path, text string, flaws []flaw) error {
	name := t.short(path)
	lines := count(len(slices.Collect(strings.Lines(text))), "line") // also the last one, if it has no end
	if len(flaws) == 0 && !sourceFile(path) {
		return t.say("I read `%s` (%s), but I know no flaws of this kind of file.", name, lines)
	}
	if len(flaws) == 0 {
		return t.say("I read `%s` (%s) and found none of the flaws that I know.", name, lines)
	}

	var b strings.Builder
	fmt.Fprintf(&b, "I read `%s` (%s) and found %s:\n\n", name, lines, count(len(flaws), "thing"))
	for _, f := range flaws {
		fmt.Fprintf(&b, "- **line %d**: %s.", f.line, f.title)
		if t.session.view().Model == modelChatty {
			fmt.Fprintf(&b, " %s", f.why)
		}
		b.WriteString("\n")
	}

	return t.say("%s", b.String())
}

// edit proposes the correction as a diff, asks, and writes it.
func (t *turn) edit(path, text string, flaws []flaw, steps []string) error {
	name := t.short(path)
	title := fmt.Sprintf("Correct %s of %s", count(faulty(flaws), "line"), name)
	proposal := object{
		"title": title, "kind": "edit",
		"locations": []object{{"path": path, "line": flaws[0].line}},
		"content":   []object{{"type": "diff", "path": path, "oldText": text, "newText": correct(text, flaws)}},
	}
	t.begin(title, "edit", proposal)
	err := t.ask(proposal)
	if t.ctx.Err() != nil {
		return t.ctx.Err()
	}
	if errors.Is(err, errRejected) {
		t.fail("Rejected by the user.")
		return t.say("Then `%s` stays as it is.", name)
	}
	if err != nil {
		t.fail(err.Error())
		return err
	}

	t.progress(object{"status": "in_progress"})
	done, err := t.write(path)
	if t.ctx.Err() != nil {
		return t.ctx.Err()
	}
	if err != nil {
		t.fail(err.Error())
		return t.say("I could not write `%s`: %v.", name, err)
	}

	t.finish(nil)
	t.plan(2, steps...)
	return t.report(path, done, steps)
}

// write corrects the file as it is now, which is not what was read if the user has gone on typing. It returns how many
// lines it changed.
func (t *turn) write(path string) (int, error) {
	text, err := t.readText(path)
	if err != nil {
		return 0, err
	}
	flaws := findFlaws(path, text)
	if len(flaws) == 0 {
		return 0, nil
	}
	return faulty(flaws), t.writeText(path, correct(text, flaws))
}

// report checks the result with a command, unless that is switched off, and says what was done.
func (t *turn) report(path string, done int, steps []string) error {
	name := t.short(path)
	checked := ""
	if t.session.view().Check {
		t.begin("wc -l "+name, "execute", object{"rawInput": object{"command": "wc -l " + name}})
		output, ended, err := t.execute(command{name: "wc", args: []string{"-l", path}})
		if t.ctx.Err() != nil {
			return t.ctx.Err()
		}
		if err != nil {
			t.fail(err.Error())
			return t.say("`%s` is corrected, but the check did not run: %v.", name, err)
		}
		t.conclude(ended)
		checked = fmt.Sprintf(" The file on disk now has %s lines.", firstWord(output))
	}

	t.plan(len(steps), steps...)
	if done == 0 {
		return t.say("You were faster: nothing was left to correct in `%s`.%s", name, checked)
	}

	return t.say("Done: %s of `%s` corrected.%s", count(done, "line"), name, checked)
}

// conclude closes the tool call of a command by how it ended.
func (t *turn) conclude(ended exit) {
	status := "completed"
	if ended.ExitCode == nil || *ended.ExitCode != 0 {
		status = "failed"
	}
	t.finish(object{"status": status, "rawOutput": ended})
}

// firstWord is what wc prints first.
func firstWord(text string) string {
	if fields := strings.Fields(text); len(fields) > 0 {
		return fields[0]
	}
	return "no"
}

// count is a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
