package acp

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"regexp"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// unseen is what a terminal shows nothing of: a reset of colours behind a message, which programs add that colour what passes
// through them.
var unseen = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)` +
		`|\x1b[ -/]*[0-Z\\^-~]|[\x00-\x1a\x1c-\x20\x7f]|\x{FEFF}|\x{2028})*$`)
})

// split cuts a line that is no message as a whole into messages and what is around them: words without a line end, as of another thread, a
// title of the terminal, a prompt of the shell, another message. Of what is no message it is nil.
//
// A message is an object that is within no other value. Words can have objects too, so behind them it is one only if it says so itself.
func split(line []byte) iter.Seq2[[]byte, *message] {
	return func(yield func([]byte, *message) bool) {
		words, at := 0, 0
		for left := 4*len(line) + 1<<16; left > 0; { // to look at in vain
			i := bytes.IndexAny(line[at:], "{[")
			if i < 0 {
				break
			}
			at += i

			n, err := valueLen(line[at:])
			switch {
			case err != nil && line[at] == '{' && errors.Is(err, io.ErrUnexpectedEOF):
				left = 0 // all that follows is within an object without end
				continue
			case err != nil:
				left -= n + 1
				at++
				continue
			}

			part := line[at : at+n]
			m, err := parseMessage(part)
			if err == nil && m.complete() && (m.Version != nil || unseen().Match(line[words:at])) {
				if !yield(line[words:at], nil) || !yield(part, &m) {
					return
				}
				words = at + n
			}
			at += n
		}
		yield(line[words:], nil)
	}
}

// garbled reports whether words have an object that says that it is a message, and that no JSON can be read from: a whole one is within
// other values, as where a program writes what it has received.
func garbled(words []byte) bool {
	name := bytes.Index(words, []byte(`"jsonrpc"`))
	at := bytes.LastIndexByte(words[:max(name, 0)], '{')
	if at < 0 {
		return false
	}
	_, err := valueLen(words[at:])
	return err != nil
}

// valueLen is the length of the JSON value that text begins with, or with an error, how far it is one.
func valueLen(text []byte) (int, error) {
	d := jsontext.NewDecoder(bytes.NewReader(text), decodeOptions)
	err := d.SkipValue()
	return int(d.InputOffset()), err
}

// complete reports whether a message is a request, a notification or an answer.
func (m message) complete() bool {
	return m.Method != nil || m.ID != nil && (m.Result != nil || m.Error != nil)
}
