package reviewing

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/review"
)

// describe returns notes on reverts as text for the agent, and for the transcript; none without notes.
func describe(s feature.Session, notes []review.Note) (text, shown string) {
	if len(notes) == 0 {
		return "", ""
	}

	var agent, user strings.Builder
	agent.WriteString("<review>\nNote from the editor: the user has reviewed your changes. " +
		"In each diff, lines with - were taken out of the file by the user, and lines with + are there now. " +
		"Do not make changes again that the user has reverted, unless they ask for them, and read the files before you edit them again.\n")
	user.WriteString("your review, sent to the agent")
	if slices.ContainsFunc(notes, func(n review.Note) bool { return n.Diff != "" }) {
		user.WriteString(" (- taken out, + there now)")
	}
	user.WriteString(":")

	for _, n := range notes {
		what, short := "Reverted", "reverted"
		if n.Undone {
			what, short = "No longer reverted", "no longer reverted"
		}

		fmt.Fprintf(&agent, "\n%s: %s\n", what, s.There(n.Path))
		fmt.Fprintf(&user, "\n%s %s", short, s.Short(n.Path))

		switch {
		case n.Gone:
			agent.WriteString("The file is not there any more.\n")
		case n.Now != n.Path:
			fmt.Fprintf(&agent, "The file is %s now.\n", s.There(n.Now))
			fmt.Fprintf(&user, ", now %s", s.Short(n.Now))
		}

		if n.Reason != "" {
			fmt.Fprintf(&agent, "The user's reason: %s\n", n.Reason)
			fmt.Fprintf(&user, ": %s", n.Reason)
		}
		if n.Diff != "" {
			diff := n.Diff // as the agent has made the change
			if !n.Undone {
				diff = turned(diff)
			}
			user.WriteString("\n" + strings.TrimSuffix(diff, "\n"))
			fmt.Fprintf(&agent, "```diff\n%s```\n", diff)
		}
	}

	agent.WriteString("</review>")
	return agent.String(), user.String()
}

// turned returns a unified diff without names that takes back what another does.
func turned(diff string) string {
	var b, added strings.Builder // the removed lines of a change come before those that it adds
	for line := range strings.Lines(diff) {
		if line[0] != '+' && line[0] != '-' {
			b.WriteString(added.String())
			added.Reset()
		}
		switch line[0] {
		case '+':
			b.WriteString("-" + line[1:])
		case '-':
			added.WriteString("+" + line[1:])
		case '@':
			if at := strings.Fields(line); len(at) > 2 { // @@ -1,3 +1,4 @@
				line = fmt.Sprintf("@@ -%s +%s @@\n", at[2][1:], at[1][1:])
			}
			b.WriteString(line)
		default:
			b.WriteString(line)
		}
	}

	return b.String() + added.String()
}
