package prompt

import (
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/session"
)

// A link leads to the file and the lines that the user has named, whatever its name, and has the size of a file that is meant whole
// (behaviour 100).
func TestAttachmentLinks(t *testing.T) {
	for _, tt := range []struct {
		name string
		a    session.Attachment
		size int64
		uri  string
		has  int64 // 0: none
	}{
		{"a file", session.Attachment{Name: "a.go", Path: "/p/a.go"}, 7, "file:///p/a.go", 7},
		{"an empty file", session.Attachment{Name: "a.go", Path: "/p/a.go"}, 0, "file:///p/a.go", 0},
		{"a line", session.Attachment{Name: "a.go", Path: "/p/a.go", First: 3, Last: 3}, 7, "file:///p/a.go#L3-L3", 0},
		{"lines", session.Attachment{Name: "a.go", Path: "/p/a.go", First: 3, Last: 12}, 7, "file:///p/a.go#L3-L12", 0},
		{"an odd name", session.Attachment{Name: "ä 1%#?.go", Path: "/p/ä 1%#?.go"}, 7, "file:///p/%C3%A4%201%25%23%3F.go", 7},
		{"a buffer", session.Attachment{Name: "[No Name]"}, 7, "nvim:///%5BNo%20Name%5D", 7},
		{"lines of a buffer", session.Attachment{Name: "term://x/#1", First: 2, Last: 3}, 7, "nvim:///term:%2F%2Fx%2F%231", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := attachment{Attachment: tt.a}.link(tt.size)
			if l.URI != tt.uri || l.Name != tt.a.Name {
				t.Errorf("got %s of %s, want %s", l.URI, l.Name, tt.uri)
			}
			if (l.Size != nil) != (tt.has > 0) || l.Size != nil && *l.Size != tt.has {
				t.Errorf("got size %v, want %d", l.Size, tt.has)
			}
		})
	}
}

// What is read of a file are the lines that were named, if they are text and not too much; what a buffer has is not read.
func TestAttachmentRead(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	large := strings.Repeat("0123456789\n", maxEmbedded/11+1)
	for _, err := range []error{
		os.WriteFile(at("text"), []byte("a\nb\nc\n"), 0o600),
		os.WriteFile(at("large"), []byte(large), 0o600),
		os.WriteFile(at("binary"), []byte("a\x00b"), 0o600),
		os.Mkdir(at("folder"), 0o700),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name        string
		a           session.Attachment // its path is a name
		text        string
		size        int64
		read, large bool
	}{
		{"whole", session.Attachment{Path: "text"}, "a\nb\nc\n", 6, true, false},
		{"a line", session.Attachment{Path: "text", First: 2, Last: 2}, "b\n", 6, true, false},
		{"lines", session.Attachment{Path: "text", First: 2, Last: 3}, "b\nc\n", 6, true, false},
		{"lines backwards", session.Attachment{Path: "text", First: 2, Last: 1}, "b\n", 6, true, false},
		{"large", session.Attachment{Path: "large"}, "", int64(len(large)), false, true},
		{"binary", session.Attachment{Path: "binary"}, "", 3, false, false},
		{"none", session.Attachment{Path: "none"}, "", 0, false, false},
		{"of a buffer", session.Attachment{Path: "text", Text: "typed", Loaded: true}, "typed", 5, true, false},
		{"of no file", session.Attachment{Text: "typed"}, "typed", 5, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := attachment{Attachment: tt.a, real: at(tt.a.Path)}
			if size := a.read(); size != tt.size || a.Text != tt.text || a.Loaded != tt.read || a.Large != tt.large {
				t.Errorf("got %.20q, %d bytes, read %v, large %v", a.Text, size, a.Loaded, a.Large)
			}
		})
	}
}

// An image or a sound goes to an agent that takes it, as what it is; of what cannot be sent it is said why (behaviour 100).
func TestAttachmentMedia(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	png, wav := "\x89PNG\r\n\x1a\n", "RIFF\x00\x00\x00\x00WAVE"
	for _, err := range []error{
		os.WriteFile(at("a.png"), []byte(png), 0o600),
		os.WriteFile(at("a.wav"), []byte(wav), 0o600),
		os.WriteFile(at("large"), nil, 0o600),
		os.Truncate(at("large"), maxMedia+1),
		os.WriteFile(at("most"), nil, 0o600),
		os.Truncate(at("most"), maxMedia),
		syscall.Mkfifo(at("pipe"), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	image, sound := acp.PromptCapabilities{Image: true}, acp.PromptCapabilities{Audio: true}
	for _, tt := range []struct {
		kind, name string
		can        acp.PromptCapabilities
		mime, data string
		err        string
	}{
		{"image", "a.png", image, "image/png", png, ""},
		{"image", "a.png", sound, "", "", "this agent takes no images, so nothing was sent"},
		{"audio", "a.wav", sound, "audio/wave", wav, ""},
		{"audio", "a.wav", image, "", "", "this agent takes no sound, so nothing was sent"},
		{"audio", "none", sound, "", "", "audio none: open "},
		{"image", "pipe", image, "", "", "image pipe is not a regular file, so nothing was sent"},
		{"image", "large", image, "", "", "image large is larger than 20 MiB, so nothing was sent"},
		{"audio", "large", sound, "", "", "audio large is larger than 20 MiB, so nothing was sent"},
		{"audio", "most", sound, "application/octet-stream", strings.Repeat("\x00", maxMedia), ""},
	} {
		t.Run(tt.kind+" "+tt.name, func(t *testing.T) {
			a := attachment{session.Attachment{Kind: tt.kind, Path: "/p/" + tt.name}, at(tt.name)}
			block, err := a.media(tt.can)
			if tt.err != "" {
				if err == nil || !strings.HasPrefix(err.Error(), tt.err) || block != nil {
					t.Errorf("got %v, want %s", err, tt.err)
				}
				return
			}
			var mime, data string
			switch b := block.(type) {
			case *acp.ImageContent:
				mime, data = b.MimeType, b.Data
			case *acp.AudioContent:
				mime, data = b.MimeType, b.Data
			}
			got, err2 := base64.StdEncoding.DecodeString(data)
			if err := errors.Join(err, err2); err != nil || mime != tt.mime || string(got) != tt.data {
				t.Errorf("got %d bytes of %s, %v", len(got), mime, err)
			}
		})
	}
}
