package host

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/command"
	"github.com/nvim-acp/nvim-acp/host/elsewhere"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/internal/git"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

const (
	maxEmbedded = 256 << 10 // bytes of a text that goes along as text rather than as a link
	maxMedia    = 20 << 20  // bytes of an image or a sound
)

// attachment is something the user sends with a prompt.
type attachment struct {
	session.Attachment
	real string // path that is read, without links; "" if nothing is
}

// content makes the blocks of a prompt: the words, and what goes with them in the form that the agent takes. Notes are
// for the user. It may read files and run programs, until ctx ends.
func (s *Session) content(ctx context.Context, p session.Prompt, can acp.PromptCapabilities) (blocks []acp.ContentBlock, notes []string, err error) {
	if p.Edit != nil {
		e := *p.Edit
		if e.Path != "" {
			e.Path = s.there(e.Path)
		}
		return []acp.ContentBlock{acp.Text(e.Prompt())}, nil, nil
	}
	if p.Text != "" {
		blocks = append(blocks, acp.Text(p.Text))
	}
	p.Context = slices.Clone(p.Context) // what comes back to the user stays as it was
	if err := s.host.records.Carry(p.Context); err != nil {
		return nil, nil, err
	}
	for _, a := range p.Context {
		more, note, err := s.attach(ctx, attachment{Attachment: a}, can)
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

func (s *Session) attach(ctx context.Context, a attachment, can acp.PromptCapabilities) ([]acp.ContentBlock, string, error) {
	if a.Record != "" && !can.EmbeddedContext {
		return []acp.ContentBlock{acp.Text(a.Text)}, "", nil
	}
	note, err := s.behind(&a)
	if err != nil {
		return nil, "", err
	}
	switch a.Kind {
	case "image", "audio":
		block, err := a.media(can)
		return []acp.ContentBlock{block}, note, err
	case "folder":
		return []acp.ContentBlock{a.link(0)}, "", nil
	case "diff":
		var err error
		if a.Text, err = s.gitDiff(ctx); err != nil {
			return nil, "", err
		}
	case "clipboard":
		if a.Text == "" {
			block, err := clipboardImage(ctx, can)
			return []acp.ContentBlock{block}, "", err
		}
	}
	blocks, said, err := s.text(a, can)
	return blocks, cmp.Or(said, note), err
}

// behind finds out which file is read for an attachment, and says so if that is behind a link out of the session's folders: an agent, or
// the author of a clone, may have put it there. An agent in a sandbox does not get what it cannot see.
func (s *Session) behind(a *attachment) (note string, err error) {
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
	if agent, _ := s.connection(); agent != nil && agent.Place().Sandbox() {
		if err := agent.Place().Reaches(real, false); err != nil {
			return "", fmt.Errorf("%s leads to %s, which this agent must not read, so nothing was sent", name, s.short(real))
		}
	}
	if buffers.Inside(s.roots, real) || !buffers.Inside([]string{s.cwd}, a.Path) {
		return "", nil
	}
	return fmt.Sprintf("%s is a link: %s was sent", name, s.short(real)), nil
}

// text is a file or a text: embedded where the agent takes that and it is not too large, else a link; what has no path
// is written into the prompt.
func (s *Session) text(a attachment, can acp.PromptCapabilities) ([]acp.ContentBlock, string, error) {
	size := a.read()
	name := plain.OneLine(a.Name)
	large := a.Large || len(a.Text) > maxEmbedded
	note := ""
	switch {
	case a.Path == "" && large:
		a.Text = cutText(a.Text)
		note = fmt.Sprintf("%s is large: only its first %d KiB were sent", name, maxEmbedded>>10)
	case large && can.EmbeddedContext:
		note = fmt.Sprintf("%s is large (%d KiB), so it went as a link", name, size>>10)
	}
	switch {
	case a.Path != "" && (large || !a.Loaded):
		return []acp.ContentBlock{a.link(size)}, note, nil
	case can.EmbeddedContext:
		if a.Path != "" && (s.host.policy.Secret(featured{s}, a.Path) || a.real != "" && s.host.policy.Secret(featured{s}, a.real)) {
			note = name + " was sent, though it may hold secrets"
		}
		return []acp.ContentBlock{&acp.EmbeddedResource{Resource: &acp.TextResourceContents{URI: a.uri(), Text: a.Text}}}, note, nil
	case a.Path != "" && a.First == 0:
		return []acp.ContentBlock{a.link(size)}, note, nil
	}
	blocks := []acp.ContentBlock{acp.Text(fmt.Sprintf("%s:\n%s", a.Name, fenced(a.Text)))}
	if a.Path != "" { // an agent may not know what the lines in a link mean
		blocks = append(blocks, a.link(size))
	}
	return blocks, note, nil
}

// read gets the text of a file that no buffer has, if it is text and not too large. It returns the size in bytes.
func (a *attachment) read() int64 {
	if a.Loaded || a.Path == "" {
		return int64(len(a.Text))
	}
	info, err := os.Stat(a.real)
	if err != nil {
		return 0
	}
	size := info.Size()
	var line, limit *uint32
	if a.First > 0 {
		first, count := uint32(a.First), uint32(max(a.Last-a.First, 0)+1)
		line, limit = &first, &count
	}
	file, err := buffers.ReadReal(a.real, line, limit, maxEmbedded)
	switch {
	case errors.Is(err, buffers.ErrTooLarge):
		a.Large = true
	case err == nil:
		a.Text, a.Loaded = file.Text, true
	}
	return size
}

func (a attachment) link(size int64) *acp.ResourceLink {
	l := &acp.ResourceLink{Name: a.Name, URI: a.uri()}
	if size > 0 && a.First == 0 {
		l.Size = &size
	}
	return l
}

func (a attachment) uri() string {
	if a.Path == "" {
		return "nvim:///" + url.PathEscape(a.Name)
	}
	u := url.URL{Scheme: "file", Path: a.Path}
	if a.First > 0 {
		u.Fragment = fmt.Sprintf("L%d-L%d", a.First, a.Last)
	}
	return u.String()
}

// media is an image or a sound, for an agent that takes it.
func (a attachment) media(can acp.PromptCapabilities) (acp.ContentBlock, error) {
	if a.Kind == "audio" && !can.Audio {
		return nil, errors.New("this agent takes no sound, so nothing was sent")
	}
	name := filepath.Base(a.Path)
	f, err := regular.Open(a.real)
	if errors.Is(err, regular.ErrKind) {
		return nil, fmt.Errorf("%s %s is not a regular file, so nothing was sent", a.Kind, name)
	}
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", a.Kind, name, err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxMedia+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s %s: %w", a.Kind, name, err)
	case len(data) > maxMedia:
		return nil, fmt.Errorf("%s %s is larger than %d MiB, so nothing was sent", a.Kind, name, maxMedia>>20)
	case a.Kind == "image":
		return image(data, can)
	}
	return &acp.AudioContent{Data: base64.StdEncoding.EncodeToString(data), MimeType: http.DetectContentType(data)}, nil
}

func image(data []byte, can acp.PromptCapabilities) (acp.ContentBlock, error) {
	if !can.Image {
		return nil, errors.New("this agent takes no images, so nothing was sent")
	}
	return &acp.ImageContent{Data: base64.StdEncoding.EncodeToString(data), MimeType: http.DetectContentType(data)}, nil
}

// clipboards are the programs that print the image that is on the clipboard.
var clipboards = [][]string{
	{"wl-paste", "--type", "image/png"},
	{"xclip", "-selection", "clipboard", "-target", "image/png", "-out"},
	{"pngpaste", "-"},
}

func clipboardImage(ctx context.Context, can acp.PromptCapabilities) (acp.ContentBlock, error) {
	for _, args := range clipboards {
		data, cut, err := command.Output(ctx, "", nil, maxMedia, args...)
		switch {
		case cut:
			return nil, fmt.Errorf("the image on the clipboard is larger than %d MiB, so nothing was sent", maxMedia>>20)
		case err == nil && len(data) > 0:
			return image(data, can)
		}
	}
	return nil, errors.New("the clipboard has neither text nor an image, so nothing was sent")
}

// gitDiff is what has changed in a work tree since the last commit. A repository that the session's agent cannot read
// is none: the agent could have made the folder lead to it.
func (s *Session) gitDiff(ctx context.Context) (string, error) {
	view, err := git.Look(ctx, s.cwd)
	if err != nil {
		return "", fmt.Errorf("git diff: %w; nothing was sent", err)
	}
	defer view.Close()
	words, env := view.Diff()
	if a, _ := s.connection(); a != nil {
		err := reachesView(ctx, a.Place(), view)
		if err == nil && a.Place().Sandbox() { // which could lead it elsewhere in this moment
			words, env, err = inSandbox(ctx, a.Place(), view, s.cwd)
		}
		if err != nil {
			return "", fmt.Errorf("git diff: %w; nothing was sent", err)
		}
	}
	out, _, err := command.Output(ctx, s.cwd, env, 4*maxEmbedded, words...)
	switch {
	case err != nil:
		return "", fmt.Errorf("git diff: %w; nothing was sent", err)
	case len(out) == 0:
		return "no changes since the last commit\n", nil
	}
	return string(out), nil
}

// inSandbox returns the command of a comparison that sees only what the agents in a sandbox see, and the view, which those
// do not see; and its environment.
func inSandbox(ctx context.Context, p *elsewhere.Place, view *git.View, dir string) (words, env []string, err error) {
	words, all := view.Diff()
	given := map[string]string{}
	for _, entry := range all {
		if name, value, _ := strings.Cut(entry, "="); strings.HasPrefix(name, "GIT_") || name == "LC_ALL" {
			given[name] = value
		}
	}
	started, err := p.Wrap(ctx, elsewhere.Command{Argv: words, Dir: dir, Env: given, Sees: []string{view.Path()}})
	return started.Argv, started.Env, err
}

// reachesView returns an error unless an agent's place has all that a comparison reads. It waits for Git and the disk.
func reachesView(ctx context.Context, p *elsewhere.Place, view *git.View) error {
	if p == nil {
		return nil
	}
	folders, err := view.Folders(ctx)
	if err != nil {
		return err
	}
	for _, folder := range folders {
		if err := p.ReachesAll(folder); err != nil {
			return err
		}
	}
	return nil
}
