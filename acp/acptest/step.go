package acptest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// A step is one line of a script, with the steps between repeat and end.
type step struct {
	line  int
	word  string
	text  string // what follows the word
	steps []step
}

// parseScript reads all steps, so that a mistake shows before anything is played.
func parseScript(r io.Reader) ([]step, error) {
	lines, err := scriptLines(r)
	if err != nil {
		return nil, err
	}
	steps, rest, err := parseSteps(lines)
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("script:%d: end without repeat", rest[0].line)
	}
	return steps, err
}

// scriptLines returns the lines with their continuations joined, split into word and text.
func scriptLines(r io.Reader) ([]step, error) {
	var lines []step
	scanner := bufio.NewScanner(r)
	scanner.Buffer(nil, 64<<20)
	for number := 1; scanner.Scan(); number++ {
		line := scanner.Text()
		text := strings.TrimSpace(line)
		if text == "" || text[0] == '#' {
			continue
		}
		if line[0] == ' ' || line[0] == '\t' {
			if len(lines) == 0 {
				return nil, fmt.Errorf("script:%d: nothing to continue", number)
			}
			lines[len(lines)-1].text += " " + text
			continue
		}

		word, text := cut(text)
		lines = append(lines, step{line: number, word: word, text: text})
	}

	return lines, scanner.Err()
}

// parseSteps nests the lines up to an end that belongs to somebody else, and returns the rest from there.
func parseSteps(lines []step) (steps, rest []step, err error) {
	for len(lines) > 0 {
		line := lines[0]
		if line.word == "end" {
			return steps, lines, nil
		}
		if words[line.word] == nil && line.word != "repeat" {
			return nil, nil, fmt.Errorf("script:%d: unknown word %q", line.line, line.word)
		}

		lines = lines[1:]
		if line.word == "repeat" {
			line.steps, lines, err = parseSteps(lines)
			if err != nil {
				return nil, nil, err
			}
			if len(lines) == 0 {
				return nil, nil, fmt.Errorf("script:%d: repeat without end", line.line)
			}
			lines = lines[1:]
		}

		steps = append(steps, line)
	}

	return steps, nil, nil
}

// cut splits off the first word of a line.
func cut(text string) (word, rest string) {
	end := strings.IndexAny(text, " \t")
	if end < 0 {
		return text, ""
	}
	return text[:end], strings.TrimSpace(text[end:])
}

// value checks that text is one JSON value; none is nil.
func value(text string) (json.RawMessage, error) {
	if text == "" {
		return nil, nil
	}
	if !json.Valid([]byte(text)) {
		return nil, fmt.Errorf("not JSON: %s", text)
	}
	return json.RawMessage(text), nil
}
