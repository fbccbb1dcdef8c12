package rules

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mvdan.cc/sh/v3/syntax"
)

// largest are commands of about so many bytes, of all shapes that cost much.
func largest(size int) []string {
	all := func(s string) string { return strings.Repeat(s, size/len(s)) }
	around := func(before, after string) string {
		n := size / (len(before) + len(after))
		return strings.Repeat(before, n) + "ls" + strings.Repeat(after, n)
	}
	numbered := func(before, form string) string {
		b := strings.Builder{}
		b.WriteString(before)
		for i := 0; b.Len() < size; i++ {
			fmt.Fprintf(&b, form, i)
		}
		return b.String()
	}
	nested := "ls;ls;ls;ls"
	for len(nested) < size/3 {
		nested = `env bash -c "` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(nested) + `"`
	}
	list := []string{nested, numbered("", "a%d;"), numbered("ls ", ">a%d "), numbered("", "cd a%d;"), numbered("env ", "a%d "), around("(", ")"), around("echo $(", ")"), around("while cd a; do ", "; done"), around("if cd a; then ", "; fi")}
	for _, words := range []string{"a ", "bash ", "find -exec ", "fd -x {} ", "docker exec -i ", "xargs ", "xargs a ", "find -exec a ; ", "x-linux-gnu-a ", "git commit -m ", "python3 -m pip ", "sed -n ", "env -S ", "- "} {
		list = append(list, "env '"+all(words)+"'", "env "+all("'"+strings.TrimSpace(words)+"' "), "env "+strings.ReplaceAll(all(words), ";", "\\;"), "sudo bash -c '"+all(words)+"'")
	}
	for _, words := range []string{"ls a ", "ls $a ", "ls 'a' ", "git commit | -m \"$x\" ", "sed -n ", "uniq | -c ", "split | -l 1 ", "awk | -F, ", "git remote | -v ", "python3 | -m pip ", "find . | -exec sh ", "find . | -exec {} ", "fd | -x {} ",
		"npm test -- | --fix ", "tar | -f - ", "env | '$a' ", "env | '!$(ls;ls)' ", "cd a | |ls", "ls | &&ls", "printf %d | 1 ", "[ a | -o b ", "kill | 1 "} {
		first, rest, _ := strings.Cut(words, "| ")
		list = append(list, first+all(rest+" "))
	}
	for _, command := range []string{"ls&", "cd .;", "cd a;", "env a b c d;", "cat <<E\nE\n", "env bash -c 'ls;ls;ls';", "a-linux-b;", "#a\n", "case x in a) ls;; esac;", "for i in a; do ls; done;", "timeout 5 bash -c '", "ls >x <y;"} {
		list = append(list, all(command))
	}
	return append(list, "find . "+strings.Repeat("-exec a ", min(200, size/20))+"'"+strings.Repeat("{} ", size/5)+"'")
}

// A judgement takes so many steps and no more, whatever a command has; one that needs more is asked about, gets no offers, and is one that is
// too long (behaviour 971).
func TestBudget(t *testing.T) {
	var slowest time.Duration
	for _, size := range []int{300, 6000, maxRead - 200} {
		over := 0
		for _, command := range largest(size) {
			r := Request{Kind: "execute", Command: command, Cwd: "/nowhere/p"}
			w := walker{ways: newWays(r.Cwd), budget: budget{maxSteps}}
			if file, _ := read(command); file != nil {
				w.places = foldersOf(w.ways, file, []string{""})
				syntax.Walk(file, w.visit)
			}
			if w.budget.left < -2*maxRead || len(w.parts) > maxParts+maxPlaces+maxNamed {
				t.Errorf("%d, %.40s: %d steps, %d parts", size, command, maxSteps-w.budget.left, len(w.parts))
			}
			begun := time.Now()
			v, offers := Judge(generous(), r), Suggest(r)
			slowest = max(slowest, time.Since(begun))
			if took := time.Since(begun); took > 10*time.Second { // it is 50 ms where nothing else runs
				t.Errorf("%d, %.40s: %v", size, command, took)
			}
			if w.budget.left < 0 || len(w.parts) > maxParts {
				over++
				if v.Action != "ask" || len(offers) > 0 {
					t.Errorf("%d, %.40s: got %s, %d offers", size, command, v.Action, len(offers))
				}
			}
		}
		if size < 1000 && over > 0 || size > 10_000 && over == 0 {
			t.Errorf("of %d bytes %d are too long", size, over)
		}
	}
	t.Logf("the slowest takes %v", slowest)
	command := "env '" + strings.Repeat("find -exec ", 1500) + "'"
	if v := Judge([]Rule{{Action: "allow"}}, Request{Kind: "execute", Command: command, Cwd: "/nowhere/p"}); v.Action != "ask" || v.Why != tooLong {
		t.Errorf("got %s: %s", v.Action, v.Why)
	}
	if _, problem := read(":" + strings.Repeat(" x", maxNodes/2)); problem != tooLong { // each word is two nodes
		t.Errorf("more than %d nodes: %q", maxNodes, problem)
	}
	for _, command := range []string{"npx eslint" + strings.Repeat(" src/a.ts", 200), "git add" + strings.Repeat(" src/a.ts", 2000), strings.Repeat("ls && ", 500) + "ls", "python3 -c '" + strings.Repeat("print(1)\n", 1500) + "'", "cat <<'E' > x\n" + strings.Repeat("a b c\n", 5000) + "E"} {
		r := Request{Kind: "execute", Command: command, Cwd: "/nowhere/p"}
		if offers := Suggest(r); len(offers) == 0 || Judge(offers[0], r).Action != "allow" {
			t.Errorf("%.40s: no offer: %s", command, Judge(nil, r).Why)
		}
	}
}

// Of a call for many files there is no offer, and what it costs to judge grows as they do: the session's folder is looked up once
// (behaviour 972).
func TestManyFiles(t *testing.T) {
	call := func(n int) Request {
		r := Request{Kind: "edit", Cwd: t.TempDir()}
		for i := range n {
			r.Paths = append(r.Paths, fmt.Sprintf("%s/sub/f%d", r.Cwd, i))
		}
		r.Edits = r.Paths
		return r
	}
	for n, want := range map[int]int{1: 2, 2: 4, maxOffered: maxOffered + 2, maxOffered + 1: 0, 20_000: 0} {
		r := call(n)
		begun := time.Now()
		offers := Suggest(r)
		if len(offers) != want || want > 0 && Judge(offers[0], r).Action != "allow" {
			t.Errorf("%d files: %d offers, want %d", n, len(offers), want)
		}
		if v := Judge([]Rule{{Kind: "edit", Path: "x"}, {Kind: "edit", Path: "sub/**", Action: "allow"}}, r); v.Action != "allow" {
			t.Errorf("%d files: got %s: %s", n, v.Action, v.Why)
		}
		if took := time.Since(begun); took > 10*time.Second { // with an offer for each it was an hour
			t.Errorf("%d files: %v", n, took)
		}
	}
	commands := strings.Builder{}
	for i := range maxOffered + 1 {
		fmt.Fprintf(&commands, "foo a%d;", i)
	}
	if offers := Suggest(Request{Kind: "execute", Cwd: "/nowhere/p", Command: commands.String()}); len(offers) > 0 {
		t.Errorf("%d offers for many commands", len(offers))
	}
}
