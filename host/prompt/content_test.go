package prompt

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
)

// A text that is cut stays text, and is cut behind a line if it has lines.
func TestCutText(t *testing.T) {
	long := strings.Repeat("ä", maxEmbedded)
	if got := cutText(long); len(got) > maxEmbedded || strings.ToValidUTF8(got, "?") != got {
		t.Errorf("got %d bytes, valid %v", len(got), strings.ToValidUTF8(got, "?") == got)
	}
	if got := cutText("first\n" + long); got != "first\n" {
		t.Errorf("got %d bytes, want the first line", len(got))
	}
	if got, want := fenced("a\n```\nb\n"), "````\na\n```\nb\n````"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestClipboardImage(t *testing.T) {
	for _, tt := range []struct{ name, script, want string }{
		{"nothing", "exit 1", "neither text nor an image"},
		{"too much", "yes", "larger than 20 MiB"},
		{"an image", "printf '\\211PNG\\r\\n\\032\\n'", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			t.Setenv("PATH", dir+string(filepath.ListSeparator)+"/usr/bin:/bin")
			for _, name := range []string{"wl-paste", "xclip", "pngpaste"} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+tt.script+"\n"), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			block, err := clipboardImage(t.Context(), acp.PromptCapabilities{Image: true})
			if tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if image, ok := block.(*acp.ImageContent); tt.want == "" && (!ok || image.MimeType != "image/png") {
				t.Errorf("got %+v, %v", block, err)
			}
		})
	}
}
