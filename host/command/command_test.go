package command

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestOutput(t *testing.T) {
	tests := []struct {
		name, script string
		text, wrong  string
		cut          bool
	}{
		{name: "all", script: "printf one", text: "one"},
		{name: "as much as is wanted", script: "printf 12345678", text: "12345678"},
		{name: "more, without an end", script: "yes", text: "y\ny\ny\ny\n", cut: true},
		{name: "an error", script: "echo 'it is broken' >&2; exit 1", wrong: "it is broken"},
		{name: "an error without a word", script: "exit 3", wrong: "exit status 3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text, cut, err := Output(t.Context(), "", nil, 8, "sh", "-c", tt.script)
			wrong := ""
			if err != nil {
				wrong = err.Error()
			}
			if string(text) != tt.text || cut != tt.cut || wrong != tt.wrong {
				t.Errorf("got %q, %v, %q, want %q, %v, %q", text, cut, wrong, tt.text, tt.cut, tt.wrong)
			}
		})
	}
}

// A program and what it has started end with the context, though one of them holds the pipe.
func TestOutputEnds(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	started := filepath.Join(t.TempDir(), "started")
	go func() { // ends with the program
		for ctx.Err() == nil {
			if _, err := os.Stat(started); err == nil {
				stop()
			}
		}
	}()
	began := time.Now()
	if _, _, err := Output(ctx, "", nil, 8, "sh", "-c", "sleep 1000 & touch "+started+"; wait"); err == nil {
		t.Error("it ended well")
	}
	if took := time.Since(began); took > time.Minute { // it would wait for the 1000 s
		t.Errorf("it took %v", took)
	}
}
