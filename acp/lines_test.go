package acp

import (
	"bytes"
	"io"
	"math/rand/v2"
	"runtime"
	"testing"
)

// Lines of any length come as they were sent (behaviour 1043).
func TestLinesOfAllSizes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var want [][]byte
	for _, n := range []int{
		1, readBuffer - 1, readBuffer, readBuffer + 1, keepLine - 1, keepLine, keepLine + 1, 2*keepLine + 7,
		40 << 20, 3, keepLine - readBuffer,
	} {
		line := make([]byte, n)
		for i := range line {
			line[i] = byte('a' + random.IntN(26))
		}
		want = append(want, line)
	}
	l := newLineReader(bytes.NewReader(bytes.Join(want, []byte("\n"))), readBuffer, 64<<20)
	for i, line := range want {
		got, err := l.next()
		if last := i == len(want)-1; !bytes.Equal(got, line) || (err != nil) != last || last && err != io.EOF {
			t.Errorf("line %d of %d bytes: got %d, %v", i, len(line), len(got), err)
		}
	}
}

// A line that does not end takes no more memory than a line may have (behaviour 1043).
func TestEndlessLine(t *testing.T) {
	const most = 64 << 20
	l := newLineReader(endless{}, readBuffer, most)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := l.next(); err == nil {
		t.Error("it has an end")
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > most+most/4 {
		t.Errorf("a line of up to %d bytes took %d", most, took)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}
