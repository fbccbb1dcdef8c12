package plain

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode"
)

var update = flag.Bool("update", false, "write lua/nvim-acp/ui/hidden.lua anew")

const hiddenLua = "../../lua/nvim-acp/ui/hidden.lua"

// Lua cleans the same characters as Go (behaviour 220).
func TestHiddenInLua(t *testing.T) {
	var b strings.Builder
	b.WriteString("-- Ranges of characters that are invisible or reorder others. Generated from host/plain/plain.go by\n")
	b.WriteString("-- go test ./host/plain -run TestHiddenInLua -update\nreturn {\n")
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !hides(r) {
			continue
		}
		first := r
		for hides(r + 1) {
			r++
		}
		fmt.Fprintf(&b, "  { 0x%04x, 0x%04x },\n", first, r)
	}
	b.WriteString("}\n")
	if *update {
		if err := os.WriteFile(hiddenLua, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(hiddenLua)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != b.String() {
		t.Errorf("%s has other characters: run this test with -update", hiddenLua)
	}
}

// Control and invisible characters are shown as text (behaviour 220).
func TestClean(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"plain", "plain"},
		{" a\nb\tc\x1b[1m ", "a b^Ic^[[1m"},
		{"a\u200db", "a<200D>b"},
		{"\U0001f469\u200d\U0001f680", "\U0001f469<200D>\U0001f680"},
		{"a\U000e0041\U000e0001", "a<E0041><E0001>"},
		{"\u3164\u115f\u1160\uffa0\u2800", "<3164><115F><1160><FFA0><2800>"},
		{"\u202e\u2066\u061c\ufeff\u00ad\u2028\u0085\u034f\u180e", "<202E><2066><061C><FEFF><00AD><2028><0085><034F><180E>"},
		{"\u26a0\ufe0f ok", "\u26a0\ufe0f ok"},
		{"a\ufe0f \u26a0\ufe0f\ufe0f", "a<FE0F> \u26a0\ufe0f<FE0F>"},
		{"e\u0301 \u65e5", "e\u0301 \u65e5"},
	} {
		if got := OneLine(tt.text); got != tt.want {
			t.Errorf("OneLine(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

// A blank that is none is a part of a word, and shows in a command; prose keeps it.
func TestExact(t *testing.T) {
	if got, want := Exact("cat\u00a0x\u3000y\u202fz  w\x1b"), "cat␣x␣y␣z  w^["; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := Visible("Bonjour\u00a0!"); got != "Bonjour\u00a0!" {
		t.Errorf("got %q", got)
	}
}

// What is deep takes the square of its depth with indents (behaviour 1043).
func TestDeep(t *testing.T) {
	for n, want := range map[int]bool{1: false, maxDepth: false, maxDepth + 1: true, 10_000: true} {
		if got := Deep([]byte(strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n))); got != want {
			t.Errorf("%d: got %v", n, got)
		}
	}
}
