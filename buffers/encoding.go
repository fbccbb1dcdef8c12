package buffers

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// encoding is the character encoding of a file.
type encoding int

const (
	utf8Plain encoding = iota
	utf8Mark           // UTF-8 with a byte order mark
	latin1             // what is neither UTF-8 nor marked, as Neovim takes it: no byte is lost, and what is written comes back
	utf16LE
	utf16BE
	utf32LE
	utf32BE
)

// marks are the byte order marks. UTF-32LE begins as UTF-16LE does, so it is looked for first.
var marks = []struct {
	enc  encoding
	mark string
}{
	{utf8Mark, bom},
	{utf32LE, "\xff\xfe\x00\x00"},
	{utf32BE, "\x00\x00\xfe\xff"},
	{utf16LE, "\xff\xfe"},
	{utf16BE, "\xfe\xff"},
}

// maxMark is the length of the longest byte order mark.
const maxMark = 4

// marked tells the encoding by its mark, and how long that is; utf8Plain and 0 if there is none.
func marked(head []byte) (encoding, int) {
	for _, m := range marks {
		if bytes.HasPrefix(head, []byte(m.mark)) {
			return m.enc, len(m.mark)
		}
	}
	return utf8Plain, 0
}

// mark returns the byte order mark of e, "" if it has none.
func (e encoding) mark() string {
	for _, m := range marks {
		if m.enc == e {
			return m.mark
		}
	}
	return ""
}

// decode turns the bytes of a file into text without byte order mark.
func decode(data []byte) (string, encoding, error) {
	enc, n := marked(data)
	rest := data[n:]
	switch enc {
	case utf16LE:
		return decode16(rest, binary.LittleEndian), enc, nil
	case utf16BE:
		return decode16(rest, binary.BigEndian), enc, nil
	case utf32LE:
		return decode32(rest, binary.LittleEndian), enc, nil
	case utf32BE:
		return decode32(rest, binary.BigEndian), enc, nil
	}

	text, plain, err := decodePart(data)
	if plain == utf8Plain {
		return text[min(n, len(text)):], enc, err
	}

	return text, plain, err
}

// Decode turns the bytes of a file into UTF-8, as [ReadFile] does. They must not be changed after it.
func Decode(data []byte) (string, error) {
	text, _, err := decode(data)
	return text, err
}

// EncodeLike turns text into bytes in the encoding of those of a file. Of UTF-8 it leaves the byte order mark as text has it.
func EncodeLike(text string, file []byte) ([]byte, error) {
	if utf8.Valid(file) {
		return []byte(text), nil
	}
	_, enc, err := decode(file)
	if err != nil {
		return nil, err
	}
	return enc.encode(text)
}

// IsUTF8 reports whether the bytes of a file are UTF-8 and no ASCII, so that they can hardly be anything else.
func IsUTF8(data []byte) bool {
	return utf8.Valid(data) && bytes.ContainsFunc(data, func(r rune) bool { return r >= utf8.RuneSelf })
}

// IsLatin1 reports whether the bytes of a file are taken for Latin-1: they are no UTF-8, and have no byte order mark.
func IsLatin1(data []byte) bool {
	enc, _ := marked(data)
	return enc == utf8Plain && !utf8.Valid(data)
}

// decodePart decodes whole lines of a file that is not UTF-16 or UTF-32.
func decodePart(data []byte) (string, encoding, error) {
	if bytes.IndexByte(data, 0) >= 0 {
		return "", utf8Plain, ErrNotText
	}
	if !utf8.Valid(data) {
		return decodeLatin1(data), latin1, nil
	}
	return textOf(data), utf8Plain, nil
}

// decodeLatin1 takes each byte for the character of that number.
func decodeLatin1(data []byte) string { return FromLatin1(textOf(data)) }

// FromLatin1 returns a text whose bytes are Latin-1.
func FromLatin1(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		b.WriteRune(rune(c))
	}
	return b.String()
}

// decode16 leaves out an odd byte at the end.
func decode16(data []byte, order binary.ByteOrder) string {
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	return string(utf16.Decode(units))
}

// decode32 leaves out odd bytes at the end.
func decode32(data []byte, order binary.ByteOrder) string {
	var b strings.Builder
	for ; len(data) >= 4; data = data[4:] {
		b.WriteRune(rune(order.Uint32(data)))
	}
	return b.String()
}

// encode turns text into the bytes of a file in this encoding, with its byte order mark.
func (e encoding) encode(text string) ([]byte, error) {
	out := []byte(e.mark())
	switch e {
	case utf8Mark:
		return append(out, strings.TrimPrefix(text, bom)...), nil
	case latin1:
		return encodeLatin1(text)
	case utf16LE:
		return encode16(out, text, binary.LittleEndian), nil
	case utf16BE:
		return encode16(out, text, binary.BigEndian), nil
	case utf32LE:
		return encode32(out, text, binary.LittleEndian), nil
	case utf32BE:
		return encode32(out, text, binary.BigEndian), nil
	}

	return append(out, text...), nil
}

func encodeLatin1(text string) ([]byte, error) {
	out := make([]byte, 0, len(text))
	for _, r := range text {
		if r > 0xff {
			return nil, fmt.Errorf("%w: %q is not in latin1", ErrEncoding, r)
		}
		out = append(out, byte(r))
	}
	return out, nil
}

func encode16(out []byte, text string, order binary.AppendByteOrder) []byte {
	for _, u := range utf16.Encode([]rune(strings.TrimPrefix(text, bom))) {
		out = order.AppendUint16(out, u)
	}
	return out
}

func encode32(out []byte, text string, order binary.AppendByteOrder) []byte {
	for _, r := range strings.TrimPrefix(text, bom) {
		out = order.AppendUint32(out, uint32(r))
	}
	return out
}
