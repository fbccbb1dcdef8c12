package viewing

import (
	"encoding/base64"
	"errors"
	"fmt"
	"mime"
	"net/url"
	"os"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/plain"
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

// goTo shows the user a line of a file, 0: the file. A file that was renamed is shown by its new name. It does not wait.
func (v *Viewer) goTo(path string, line int) {
	caught.Go(func() { // ends when Neovim answers or goes away
		if real, err := buffers.Real(path); err == nil && !regular.Exists(path) {
			path = v.find(real)
		}
		_ = v.host.ExecLua(luaGo, nil, path, line)
	})
}

// open shows content that is not text. Its goroutines end when a file is written and Neovim answers.
func (v *Viewer) open(s feature.Session, c acp.ContentBlock) {
	switch c := c.(type) {
	case *acp.ImageContent:
		s.Spawn(func() { v.openData(c.MimeType, c.Data) })
	case *acp.AudioContent:
		s.Spawn(func() { v.openData(c.MimeType, c.Data) })
	case *acp.EmbeddedResource:
		switch r := c.Resource.(type) {
		case *acp.TextResourceContents:
			v.host.Show("resource", r.Text, "")
		case *acp.BlobResourceContents:
			s.Spawn(func() { v.openData(r.MimeType, r.Blob) })
		}
	case *acp.ResourceLink:
		if u, err := url.Parse(c.URI); err == nil && u.Scheme == "file" {
			v.goTo(u.Path, 0)
			return
		}
		v.host.Say("warn", "only links to files and web pages are opened: "+plain.OneLine(c.URI))
	case *acp.UnknownContent:
		v.host.Show("content", string(c.Raw), "json")
	}
}

// openData hands data to the system's viewer for its type, or shows it if it is text. It waits for the disk and Neovim.
func (v *Viewer) openData(mimeType, data string) {
	kind, _, err := mime.ParseMediaType(mimeType)
	if err != nil {
		kind = mimeType
	}

	raw, err := base64.StdEncoding.DecodeString(data)
	switch {
	case err != nil:
		v.host.Say("warn", "cannot be opened: "+plain.Reason(err))
	case strings.HasPrefix(kind, "text/") || kind == "application/json":
		v.host.Show("content", strings.ToValidUTF8(string(raw), "�"), "")
	case viewed[kind] == "":
		v.host.Say("warn", fmt.Sprintf("content of the type %q is not opened", plain.OneLine(mimeType)))
	default:
		v.viewFile(raw, viewed[kind])
	}
}

// viewFile has the system's viewer show data. It waits for the disk and Neovim.
func (v *Viewer) viewFile(data []byte, ext string) {
	path, err := v.writeFile(data, ext)
	if err != nil {
		v.host.Say("error", "open content: "+plain.Reason(err))
		return
	}
	_ = v.host.ExecLua(luaView, nil, path) // if Neovim is gone nobody looks
}

// writeFile writes data to a file that only the user can read. It is removed when the host ends.
func (v *Viewer) writeFile(data []byte, ext string) (string, error) {
	dir, err := v.folder()
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

// folder returns where such files are. It is made when the first comes.
func (v *Viewer) folder() (string, error) {
	v.mu.Lock()
	defer v.mu.Unlock()

	if feature.Over(v.host) {
		return "", errors.New("the editor is leaving")
	}

	if v.dir == "" {
		dir, err := os.MkdirTemp("", "nvim-acp-")
		if err != nil {
			return "", err
		}
		v.dir = dir
	}

	return v.dir, nil
}
