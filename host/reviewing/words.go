package reviewing

import (
	"fmt"
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
	agent.WriteString("<review>\nNote from the editor: the user has reviewed your changes. Each diff is a change that you had made. " +
		"Do not make those again that the user has reverted, unless they ask for them, and read the files before you edit them again.\n")
	user.WriteString("your review, sent to the agent:")

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
			fmt.Fprintf(&agent, "```diff\n%s```\n", n.Diff)
			user.WriteString("\n" + strings.TrimSuffix(n.Diff, "\n"))
		}
	}

	agent.WriteString("</review>")
	return agent.String(), user.String()
}
