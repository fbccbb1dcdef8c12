package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxLine bounds a message of an agent, in bytes: a little below the bound of the SDK, which ends the connection.
const maxLine = 16<<20 - 1<<10

// lines is a connection on which every line that is read is a message. Other lines are answered with an error, as JSON-RPC says: the
// SDK would end the connection. Read is called by one goroutine, Write by any.
type lines struct {
	conn io.ReadWriteCloser
	in   *bufio.Reader
	line []byte // what is left of the current one
	open *pending

	mu sync.Mutex // held while a message is written
}

func newLines(conn io.ReadWriteCloser) *lines {
	return &lines{conn: conn, in: bufio.NewReaderSize(conn, 64<<10), open: newPending()}
}

// Close ends the connection.
func (l *lines) Close() error {
	l.open.close()
	return l.conn.Close()
}

// Write writes a message.
func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, err := l.conn.Write(p)
	l.open.told(p)
	return n, err
}

// Read reads messages, and answers what is none. Their end comes when all of them are answered.
func (l *lines) Read(p []byte) (int, error) {
	for len(l.line) == 0 {
		line, err := l.next()
		if errors.Is(err, io.EOF) {
			l.open.await(l.conn)
		}
		if err != nil {
			return 0, err
		}

		message, code, problem := check(line)
		switch {
		case len(bytes.TrimSpace(line)) == 0:
		case code == 0:
			l.open.asked(message)
			l.line = append(line, '\n')
		default:
			answer := fmt.Sprintf(`{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%q}}`+"\n", code, problem)
			if _, err := l.Write([]byte(answer)); err != nil {
				return 0, err
			}
		}
	}

	n := copy(p, l.line)
	l.line = l.line[n:]
	return n, nil
}

// next returns the next line without its end. Of a line that is too long it returns the beginning, which is no message.
func (l *lines) next() ([]byte, error) {
	var line []byte
	for {
		part, err := l.in.ReadSlice('\n')
		if len(line) <= maxLine {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(line) > 0:
			return line, nil
		case err != nil:
			return nil, err
		default:
			return bytes.TrimSuffix(line, []byte("\n")), nil
		}
	}
}

// check returns the message of a line, or the error code of one that is none, and why.
func check(line []byte) (message jsonrpc.Message, code int, problem string) {
	switch message, err := jsonrpc.DecodeMessage(line); {
	case len(line) > maxLine:
		return nil, jsonrpc.CodeInvalidRequest, "the message is too long"
	case err == nil:
		return message, 0, ""
	case !json.Valid(line):
		return nil, jsonrpc.CodeParseError, "this is not JSON"
	}
	if line = bytes.TrimSpace(line); line[0] == '[' {
		return nil, jsonrpc.CodeInvalidRequest, "batches are not supported"
	}
	return nil, jsonrpc.CodeInvalidRequest, "this is not a message of JSON-RPC 2.0"
}
