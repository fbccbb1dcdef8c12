package acp

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/internal/seedtest"
)

// On a line made of words and messages all messages are found, in their order, and nothing else; no byte of the line is lost (behaviour 1541).
func TestSplit(t *testing.T) {
	r := rand.New(rand.NewPCG(seedtest.Of(t), 0))
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	value := func() string { // whatever is in it is no message
		inner := pick(`{"jsonrpc":"2.0","id":7,"result":{}}`, `{"jsonrpc":"2.0","method":"inner"}`)
		return pick(`{}`, inner, "["+inner+"]", strconv.Quote(inner), strconv.Quote("{"+inner), `{"log":[`+inner+`]}`, `"}{"`, `"\\\""`, "[]")
	}
	message := func(version string) string {
		v := value()
		return "{" + version + pick(`"id":1,"result":`+v, `"id":"a","error":`+v, `"method":"m","params":`+v, `"params":`+v+` ,"method":"m" , "id":2`) + "}"
	}
	words := func() string {
		v := value()
		if v[0] == '{' && strings.Contains(v, "jsonrpc") {
			v = `{"sent":` + v + "}"
		}
		return pick("Done", "Done {in} 3 s", `said "yes"`, "[12:00]", "[x", "]", "}", `"`, `\`, "{", "{{", `{"level":30}`, `{"id":1}`, `{"method":}`,
			`{"id":1,"method":"m"}`[:r.IntN(20)+1]+"!", `{"id":1,"result":{}}`, v, "é\u2028")
	}

	for range 20000 {
		var line strings.Builder
		var want []string
		bare := true // no words since the last message
		for range r.IntN(6) {
			switch r.IntN(4) {
			case 0:
				w := words()
				if bare && Raw(w).IsValid() && strings.HasPrefix(w, `{"id":1,`) {
					continue // it would be a message
				}
				line.WriteString(" " + w + " ")
				bare = false
			case 1:
				line.WriteString(pick(" ", "\x1b[0m", "\ufeff", "\x1b]0;{title}\a"))
			default:
				m := message(`"jsonrpc":"2.0",`)
				if bare && r.IntN(3) == 0 {
					m = message("")
				}
				line.WriteString(m)
				want, bare = append(want, m), true
			}
		}
		if m := message(`"jsonrpc":"2.0",`); r.IntN(4) == 0 {
			line.WriteString(m[:r.IntN(len(m))]) // torn
		}

		var got []string
		whole := ""
		for part, m := range split([]byte(line.String())) {
			whole += string(part)
			if m != nil {
				got = append(got, string(part))
			}
		}
		if !slices.Equal(got, want) || whole != line.String() {
			t.Fatalf("%q\n got %q\nwant %q", line.String(), got, want)
		}
	}
}

// A line on which every place could be the beginning of a message, but none is, does not hold up the connection.
func TestSplitIsQuick(t *testing.T) {
	for _, unit := range []string{"[", "{", `{"a":`, `[{"jsonrpc":"2.0","method":"m"},`, `{"a":[1,2,`, `{"`, `"{`, `[{"a":1}`} {
		line := []byte(strings.Repeat(unit, 1<<20/len(unit)) + "}")
		begun := time.Now()
		for range split(line) {
		}
		if took := time.Since(begun); took > time.Minute { // it is 0.2 s where nothing else runs; without a limit it is many minutes
			t.Errorf("%q again and again takes %v", unit, took)
		}
	}
}

// Words have a message that cannot be read if one begins in them and breaks off; not if it is whole and within other values.
func TestGarbled(t *testing.T) {
	for words, want := range map[string]bool{
		`{"jsonrpc":"2.0","id":3,"resu`:        true,
		`{"jsonrpc"`:                           true,
		`[1] Done {"jsonrpc":"2.0",warning: x`: true,
		`{"id":3,"jsonrpc":"2.0","result":{}`:  true,
		`got [{"jsonrpc":"2.0","method":"m"}]`: false,
		`{"sent":{"jsonrpc":"2.0","id":1}}`:    false,
		`no "jsonrpc" here, {`:                 false,
		`{"level":30,"msg":"cut`:               false,
		`Starting {`:                           false,
		``:                                     false,
	} {
		if got := garbled([]byte(words)); got != want {
			t.Errorf("garbled(%q) = %v", words, got)
		}
	}
}
