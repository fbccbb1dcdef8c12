package host

import (
	"encoding/base64"
	"errors"
	"fmt"
	"mime"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/internal/caught"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// viewed are the types of content that is not text that we hand to the system's viewers, with the ends of names that we give
// them: an agent cannot have a program started by naming a file.
var viewed = map[string]string{
	"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp", "image/bmp": ".bmp", "image/tiff": ".tiff",
	"image/avif": ".avif", "audio/mpeg": ".mp3", "audio/mp3": ".mp3", "audio/wav": ".wav", "audio/x-wav": ".wav", "audio/ogg": ".ogg",
	"audio/flac": ".flac", "audio/mp4": ".m4a", "audio/aac": ".aac", "application/pdf": ".pdf",
}

// jump opens what a row of the transcript is about: what is not text there, the place in a file, or the whole of what it
// shows in part.
func (s *Session) jump(a blockArgs) {
	t := ask(s, func(st *session.State) session.Target { return st.Target(a.Block, a.Part, a.Row, a.Text) })
	switch {
	case t.Content != nil:
		s.open(t.Content)
	case t.Place != nil:
		s.host.goTo(s.absolute(t.Place.Path), t.Place.Line)
	case t.Known:
		s.host.show("block", t.Whole, "markdown")
	}
}

// absolute is a path that an agent names, which may be one below its folder.
func (s *Session) absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(s.cwd, path)
}

// goTo shows the user a line of a file, 0: the file. One that has another name by now is shown by that.
func (h *Host) goTo(path string, line int) {
	caught.Go(func() { // ends when Neovim answers or goes away
		if real, err := buffers.Real(path); err == nil && !regular.Exists(path) {
			path = h.moves.Find(real)
		}
		_ = h.ed.ExecLua(luaGo, nil, path, line)
	})
}

// open shows content that is not text. Its goroutines end when a file is written and Neovim answers.
func (s *Session) open(c acp.ContentBlock) {
	switch c := c.(type) {
	case *acp.ImageContent:
		s.spawn(func() { s.host.openData(c.MimeType, c.Data) })
	case *acp.AudioContent:
		s.spawn(func() { s.host.openData(c.MimeType, c.Data) })
	case *acp.EmbeddedResource:
		switch r := c.Resource.(type) {
		case *acp.TextResourceContents:
			s.host.show("resource", r.Text, "")
		case *acp.BlobResourceContents:
			s.spawn(func() { s.host.openData(r.MimeType, r.Blob) })
		}
	case *acp.ResourceLink:
		if u, err := url.Parse(c.URI); err == nil && u.Scheme == "file" {
			s.host.goTo(u.Path, 0)
			return
		}
		s.host.say("warn", "only links to files and web pages are opened: "+plain.OneLine(c.URI))
	case *acp.UnknownContent:
		s.host.show("content", string(c.Raw), "json")
	}
}

// openData hands data to the system's viewer for its type, or shows it if it is text. It waits for the disk and Neovim.
func (h *Host) openData(mimeType, data string) {
	kind, _, err := mime.ParseMediaType(mimeType)
	if err != nil {
		kind = mimeType
	}
	raw, err := base64.StdEncoding.DecodeString(data)
	switch {
	case err != nil:
		h.say("warn", "it cannot be opened: "+err.Error())
	case strings.HasPrefix(kind, "text/") || kind == "application/json":
		h.show("content", strings.ToValidUTF8(string(raw), "�"), "")
	case viewed[kind] == "":
		h.say("warn", fmt.Sprintf("content of the type %q is not opened", plain.OneLine(mimeType)))
	default:
		h.viewFile(raw, viewed[kind])
	}
}

func (h *Host) viewFile(data []byte, ext string) {
	path, err := h.keepFile(data, ext)
	if err != nil {
		h.say("error", "open content: "+err.Error())
		return
	}
	_ = h.ed.ExecLua(luaView, nil, path) // if Neovim is gone nobody looks
}

// keepFile writes data to a file that only the user can read, which goes with the host.
func (h *Host) keepFile(data []byte, ext string) (string, error) {
	dir, err := h.viewFolder()
	if err != nil {
		return "", err
	}
	f, err := os.CreateTemp(dir, "*"+ext)
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return f.Name(), err
}

// viewFolder is where such files are, made when the first comes.
func (h *Host) viewFolder() (string, error) {
	h.viewMu.Lock()
	defer h.viewMu.Unlock()
	if h.leaving() {
		return "", errors.New("the editor is leaving")
	}
	if h.viewDir == "" {
		dir, err := os.MkdirTemp("", "nvim-acp-")
		if err != nil {
			return "", err
		}
		h.viewDir = dir
	}
	return h.viewDir, nil
}
