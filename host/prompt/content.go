package prompt

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/session"
)

// maxEmbedded is how many bytes of a text are sent as text rather than as a link.
const maxEmbedded = 256 << 10

// Content returns the blocks of a prompt: its words and its attachments, each in a form that the agent takes. Notes are for the user, a
// line each. An error says why nothing can be sent. It may read files and run programs, for which it waits until ctx ends.
func (ps *Prompts) Content(
	ctx context.Context, s feature.Session, p session.Prompt, can acp.PromptCapabilities,
) (blocks []acp.ContentBlock, notes []string, err error) {
	if p.Edit != nil { // package editing has it
		return nil, nil, nil
	}
	if p.Text != "" {
		blocks = append(blocks, acp.Text(p.Text))
	}

	attached := slices.Clone(p.Context) // what comes back to the user stays as it was
	if err := ps.carry(attached); err != nil {
		return nil, nil, err
	}
	for _, a := range attached {
		more, note, err := ps.attach(ctx, s, attachment{Attachment: a}, can)
		if err != nil {
			return nil, nil, err
		}
		blocks = append(blocks, more...)
		if note != "" {
			notes = append(notes, note)
		}
	}

	return blocks, notes, nil
}

// attach returns the blocks of an attachment and a note for the user, "" if there is nothing to say.
func (ps *Prompts) attach(
	ctx context.Context, s feature.Session, a attachment, can acp.PromptCapabilities,
) (blocks []acp.ContentBlock, note string, err error) {
	if a.Record != "" && !can.EmbeddedContext {
		return []acp.ContentBlock{acp.Text(a.Text)}, "", nil
	}
	if note, err = resolve(s, &a); err != nil {
		return nil, "", err
	}

	switch a.Kind {
	case "image", "audio":
		block, err := a.media(can)
		return []acp.ContentBlock{block}, note, err
	case "folder":
		return []acp.ContentBlock{a.link(0)}, "", nil
	case "diff":
		if a.Text, err = gitDiff(ctx, s); err != nil {
			return nil, "", err
		}
	case "clipboard":
		if a.Text == "" {
			block, err := clipboardImage(ctx, can)
			return []acp.ContentBlock{block}, "", err
		}
	}

	blocks, said := ps.text(s, a, can)
	return blocks, cmp.Or(said, note), nil
}

// resolve finds the file that is read for an attachment, and notes it if it is behind a link out of the session's folders: an agent, or
// the author of a clone, may have put that there. An agent in a sandbox does not get what it cannot see.
func resolve(s feature.Session, a *attachment) (note string, err error) {
	media := a.Kind == "image" || a.Kind == "audio" // which is read, whatever text is given
	if a.Path == "" || a.Kind == "folder" || a.Loaded && !media {
		return "", nil
	}

	name := plain.OneLine(a.Name)
	real, err := buffers.Real(a.Path)
	switch {
	case err != nil && media:
		return "", fmt.Errorf("%s %s: %w", a.Kind, name, err)
	case err != nil:
		return "", nil // a link to it is sent
	}

	a.real = real

	if agent := feature.Agent(s); agent != nil && agent.Place().Sandbox() {
		if err := agent.Place().Reaches(real, false); err != nil {
			return "", fmt.Errorf("%s leads to %s, which this agent must not read, so nothing was sent", name, s.Short(real))
		}
	}
	if buffers.Inside(s.Roots(), real) || !buffers.Inside([]string{s.Cwd()}, a.Path) {
		return "", nil
	}

	return fmt.Sprintf("%s is a link: %s was sent", name, s.Short(real)), nil
}

// text returns the blocks of a file or a text, and a note for the user: it is embedded where the agent takes that and it is not too large,
// else a link; a text without a path is written into the prompt.
func (ps *Prompts) text(s feature.Session, a attachment, can acp.PromptCapabilities) (blocks []acp.ContentBlock, note string) {
	size := a.read()
	name := plain.OneLine(a.Name)
	large := a.Large || len(a.Text) > maxEmbedded
	switch {
	case a.Path == "" && large:
		a.Text = cutText(a.Text)
		note = fmt.Sprintf("%s is large: only its first %d KiB were sent", name, maxEmbedded>>10)
	case large && can.EmbeddedContext:
		note = fmt.Sprintf("%s is large (%d KiB), so it went as a link", name, size>>10)
	}

	switch {
	case a.Path != "" && (large || !a.Loaded):
		return []acp.ContentBlock{a.link(size)}, note
	case can.EmbeddedContext:
		if a.Path != "" && (ps.policy.Secret(s, a.Path) || a.real != "" && ps.policy.Secret(s, a.real)) {
			note = name + " was sent, though it may hold secrets"
		}
		return []acp.ContentBlock{&acp.EmbeddedResource{Resource: &acp.TextResourceContents{URI: a.uri(), Text: a.Text}}}, note
	case a.Path != "" && a.First == 0:
		return []acp.ContentBlock{a.link(size)}, note
	}

	blocks = []acp.ContentBlock{acp.Text(fmt.Sprintf("%s:\n%s", a.Name, fenced(a.Text)))}
	if a.Path != "" { // an agent may not know what the lines in a link mean
		blocks = append(blocks, a.link(size))
	}

	return blocks, note
}

// cutText returns the beginning of a text that is too large to be sent, up to the end of a line.
func cutText(text string) string {
	if len(text) <= maxEmbedded {
		return text
	}
	n := plain.Start(text, maxEmbedded)
	if end := strings.LastIndexByte(text[:n], '\n'); end > 0 {
		n = end + 1
	}
	return text[:n]
}

// fenced returns a text as a code block, with a fence that does not occur in it.
func fenced(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + strings.TrimSuffix(text, "\n") + "\n" + fence
}
