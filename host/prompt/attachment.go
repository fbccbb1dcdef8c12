package prompt

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/command"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// maxMedia is how many bytes an image or a sound may have.
const maxMedia = 20 << 20

// attachment is something the user sends with a prompt.
type attachment struct {
	session.Attachment
	real string // path that is read, without links; "" if nothing is
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

	return info.Size()
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

// media returns an image or a sound, for an agent that takes it.
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
