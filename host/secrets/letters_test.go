package secrets

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/internal/seedtest"
)

// Letters may have another length in lower case: Ⱥ has two bytes, and three then; İ has two, and one.
func TestSearchLetters(t *testing.T) {
	for _, tt := range []struct {
		folder, path, search string
		finds                bool
	}{
		{"/p", "/p/İİİİİİ/.env", "*/.env", true},
		{"/p", "/p/İİİİİİ/.env", "İİİİİİ/.env", true},
		{"/p", "/p/ȺȺȺȺ.pem", "Ⱥ*.pem", true},
		{"/p", "/p/İİİİİİ/.env", "*/x", false},
		{"/P/KKK", "/p/kkk/.env", ".e*", true},
		{"/p/KKK", "/p/KKK/a/.env", "a/.e*", true},
		{"/p", "/p/KKKKKK.pem", "K*.pem", true},
		{"/", "/.env", ".e*", true},
		{"/p/q", "/p/qq/.env", "**", false},
	} {
		if got := NewSearch(tt.search, true).Finds(tt.folder, tt.path); got != tt.finds {
			t.Errorf("%q in %s finds %s: %v, want %v", tt.search, tt.folder, tt.path, got, tt.finds)
		}
	}
}

// Whatever a text is, it is read, as an expression also where that is open at its end (behaviour 1131).
func TestSearchOfAnyText(t *testing.T) {
	for _, text := range []string{`\Q.env`, `(?i)\Q.ENV`, `x|\Q.env`} {
		if !NewSearch(text, false).Finds("/p", "/p/.env") {
			t.Errorf("%s does not find .env", text)
		}
	}

	signs := strings.Fields(`\Q \E ( ? : ) [ ] { } * + | ^ $ . \ a e n v / (?i) (?-s: (?P<a> \b \pL {2} {1,3} \x41 - , ! \z \A \C İ Ⱥ`)
	seed := seedtest.Of(t)
	random := rand.New(rand.NewPCG(seed, 0))
	for range 3000 {
		var text strings.Builder
		for range 1 + random.IntN(8) {
			text.WriteString(signs[random.IntN(len(signs))])
		}
		for _, names := range []bool{false, true} {
			NewSearch(text.String(), names).Finds("/p", "/p/.env") // it does not panic
		}
	}
}
