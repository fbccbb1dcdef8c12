package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

type askIn struct {
	Question string   `json:"question" jsonschema:"the question, with what the user has to know for the answer"`
	Options  []string `json:"options,omitempty" jsonschema:"answers to choose from; the user may also answer in other words"`
	Several  bool     `json:"several,omitempty" jsonschema:"more than one option may be chosen"`
}

const maxOptions = 20

// addAsk adds the tool that asks the user.
func (s *server) addAsk() {
	add(s, tool[askIn]{
		name: "ask",
		description: "Asks the user and waits for the answer: one of some options, or a text. Use it when the task can be understood " +
			"in more than one way and a wrong guess would cost much; not for permission, which the user is asked for anyway.",
		changes: true,
		title:   func(in askIn) string { return "Ask: " + in.Question },
		run:     s.ask,
	})
}

func (s *server) ask(ctx context.Context, in askIn) (string, error) {
	switch {
	case strings.TrimSpace(in.Question) == "":
		return "", errors.New("there is no question")
	case len(in.Options) > maxOptions:
		return "", fmt.Errorf("a question has %d options at most, not %d", maxOptions, len(in.Options))
	}

	for i, option := range in.Options {
		if strings.TrimSpace(option) == "" {
			return "", fmt.Errorf("option %d is empty", i+1)
		}
	}

	got, err := s.desk.Ask(ctx, Question{Text: in.Question, Options: in.Options, Several: in.Several})
	switch {
	case err != nil:
		return "", err
	case got.Declined:
		return "The user does not want to answer.", nil
	case got.Later:
		return "The user has put the question away without an answer.", nil
	}

	lines := got.Chosen
	if got.Text != "" {
		lines = append(lines, got.Text)
	}
	if len(lines) == 0 {
		return "The user has sent an empty answer.", nil
	}

	return strings.Join(lines, "\n"), nil
}
