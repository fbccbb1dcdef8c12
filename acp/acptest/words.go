package acptest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// words are what a line can begin with, but for repeat and end.
var words map[string]func(*player, context.Context, step) error

func init() {
	words = map[string]func(*player, context.Context, step) error{
		"<":      (*player).expect,
		">":      (*player).send,
		"any":    (*player).any,
		"allow":  (*player).allowWord,
		"raw":    (*player).raw,
		"bytes":  (*player).bytes,
		"stderr": (*player).stderr,
		"write":  (*player).write,
		"spawn":  (*player).spawn,
		"wait":   (*player).wait,
		"pause":  (*player).pause,
		"hang":   (*player).hang,
		"exit":   (*player).exit,
	}
}

// expect plays "<".
func (p *player) expect(_ context.Context, s step) error {
	for {
		m, err := p.next()
		if err != nil {
			return p.atEnd(s, err)
		}

		reason := p.matches(s.text, m)
		if reason == "" {
			return nil
		}

		taken, err := p.allow(m)
		if err != nil {
			return err
		}
		if !taken {
			return &MismatchError{Line: s.line, Expected: "< " + s.text, Got: string(m.raw), Reason: reason}
		}
	}
}

// any plays "any <".
func (p *player) any(_ context.Context, s step) error {
	sign, text := cut(s.text)
	if sign != "<" {
		return errors.New(`"<" must follow`)
	}
	for {
		m, err := p.next()
		if err != nil {
			s.text = text
			return p.atEnd(s, err)
		}
		if p.matches(text, m) == "" {
			return nil
		}

		taken, err := p.allow(m)
		if err != nil {
			return err
		}
		if taken || !m.wantsAnswer() {
			continue
		}
		if err := p.answer(len(p.open)-1, "error", notFound); err != nil {
			return err
		}
	}
}

// atEnd lets an expected end of the input pass.
func (p *player) atEnd(s step, err error) error {
	if s.text == "eof" && errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// matches says why m is not what text expects, or "".
func (p *player) matches(text string, m message) string {
	text = p.vars.expand(text, true)
	if strings.HasPrefix(text, "{") {
		text = "result " + text
	}

	word, fields := cut(text)
	switch {
	case word == "eof":
		return "the input goes on"
	case word == "result" || word == "error" || strings.HasPrefix(word, "$"):
		return p.matchesAnswer(word, json.RawMessage(fields), m)
	case m.Method != word:
		return fmt.Sprintf("method: got %q, want %q", m.Method, word)
	}

	return p.vars.match(json.RawMessage(fields), m.Params)
}

// matchesAnswer is matches for an answer to one of our requests; word is result, error or $ and an id.
func (p *player) matchesAnswer(word string, fields json.RawMessage, m message) string {
	id := string(m.ID)
	switch {
	case !m.isResponse():
		return "it is not an answer"
	case !p.asked[id]:
		return "it answers nothing that was asked"
	case strings.HasPrefix(word, "$") && word[1:] != id:
		return "it answers another request"
	case (word == "error") != (m.Error != nil):
		return "a result is not an error"
	}

	content := m.Result
	if word == "error" {
		content = m.Error
	}

	difference := p.vars.match(fields, content)
	if difference == "" {
		delete(p.asked, id)
	}

	return difference
}

// send plays ">".
func (p *player) send(_ context.Context, s step) error {
	text := p.vars.expand(s.text, true)
	if !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "null") {
		return p.sendNamed(text)
	}
	return p.answerLast("result", text)
}

// sendNamed sends what is not a bare object.
func (p *player) sendNamed(text string) error {
	word, rest := cut(text)
	switch word {
	case "error":
		return p.answerLast("error", rest)
	case "answer":
		return p.answerMethod(rest)
	case "request":
		method, rest := cut(rest)
		params, err := value(rest)
		if err != nil {
			return err
		}
		p.lastID++
		id := strconv.Itoa(p.lastID)
		p.asked[id] = true
		p.vars["last"] = id
		return writeMessage(p.out, json.RawMessage(id), method, "params", params)
	}

	params, err := value(rest)
	if err != nil {
		return err
	}

	return writeMessage(p.out, nil, word, "params", params)
}

// answerLast answers the last open request.
func (p *player) answerLast(name, text string) error {
	content, err := value(text)
	if err != nil {
		return err
	}
	if content == nil {
		return errors.New("an answer needs a value")
	}
	if len(p.open) == 0 {
		return errors.New("no request is open")
	}
	return p.answer(len(p.open)-1, name, content)
}

// answerMethod answers the oldest open request of the method that text begins with.
func (p *player) answerMethod(text string) error {
	method, rest := cut(text)
	content, err := value(rest)
	if err != nil {
		return err
	}
	if content == nil {
		return errors.New("an answer needs a value")
	}
	for i, m := range p.open {
		if m.Method == method {
			return p.answer(i, "result", content)
		}
	}

	return fmt.Errorf("no %s is open", method)
}

func (p *player) allowWord(_ context.Context, s step) error {
	method, text := cut(p.vars.expand(s.text, true))
	if text == "" {
		text = "{}"
	}
	result, err := value(text)
	p.allowed[method] = result
	return err
}

func (p *player) raw(_ context.Context, s step) error {
	_, err := p.out.WriteString(p.vars.expand(s.text, true) + "\n")
	return err
}

// bytes flushes before and after, so that a half line arrives by itself.
func (p *player) bytes(_ context.Context, s step) error {
	text, err := strconv.Unquote(s.text)
	if err != nil {
		return err
	}
	if err := p.out.Flush(); err != nil {
		return err
	}
	if _, err := p.out.WriteString(text); err != nil {
		return err
	}
	return p.out.Flush()
}

func (p *player) stderr(_ context.Context, s step) error {
	_, err := fmt.Fprintln(p.opts.Stderr, p.vars.expand(s.text, false))
	return err
}

func (p *player) write(_ context.Context, s step) error {
	name, literal := cut(s.text)
	text, err := strconv.Unquote(literal)
	if err != nil {
		return fmt.Errorf("%s is not a string literal: %w", literal, err)
	}

	name = p.vars.expand(name, false)
	if err := p.out.Flush(); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}

	return os.WriteFile(name, []byte(p.vars.expand(text, false)), 0o666)
}

func (p *player) spawn(_ context.Context, s step) error {
	command := exec.Command("sh", "-c", p.vars.expand(s.text, false))
	command.Dir = p.vars["CWD"]
	return command.Start()
}

func (p *player) wait(ctx context.Context, s step) error {
	name := p.vars.expand(s.text, false)
	for {
		if _, err := os.Stat(name); err == nil {
			return nil
		}
		if err := p.sleep(ctx, 2*time.Millisecond); err != nil {
			return err
		}
	}
}

func (p *player) pause(ctx context.Context, s step) error {
	duration, err := time.ParseDuration(p.vars.expand(s.text, false))
	if err != nil {
		return err
	}
	return p.sleep(ctx, duration)
}

// sleep sends what is to be sent and waits.
func (p *player) sleep(ctx context.Context, duration time.Duration) error {
	if err := p.out.Flush(); err != nil {
		return err
	}
	timer := time.NewTimer(duration)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

func (p *player) hang(ctx context.Context, _ step) error {
	if err := p.out.Flush(); err != nil {
		return err
	}
	<-ctx.Done()
	return ctx.Err()
}

func (p *player) exit(_ context.Context, s step) error {
	status, err := strconv.Atoi(s.text)
	if err != nil {
		return err
	}
	return &ExitError{Status: status}
}
