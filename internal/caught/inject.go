package caught

import (
	"os"
	"regexp"
	"strings"
	"sync"

	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// Tests have a panic come at a place: $NVIM_ACP_PANIC is a pattern for the whole name of one, and a file that must be there, which the
// panic removes: it comes once.
var injected = sync.OnceValues(func() (*regexp.Regexp, string) {
	pattern, file, ok := strings.Cut(os.Getenv("NVIM_ACP_PANIC"), " ")
	if !ok {
		return nil, ""
	}
	return regexp.MustCompile("^(" + pattern + ")$"), file
})

func inject(place, when string) {
	pattern, file := injected()
	if pattern == nil {
		return
	}
	place += when
	if log := os.Getenv("NVIM_ACP_PLACES"); log != "" {
		note(log, place)
	}
	if pattern.MatchString(place) && os.Remove(file) == nil {
		panic("injected")
	}
}

// note adds a place to a file.
func note(log, place string) {
	if f, err := regular.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
		_, _ = f.WriteString(place + "\n")
		_ = f.Close()
	}
}
