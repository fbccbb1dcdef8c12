package forms

import (
	"fmt"
	"math"
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nvim-acp/nvim-acp/acp"
)

// Check converts the entered values to typed ones, or returns the problems by field. An empty field is left out unless it is
// required.
func Check(s *acp.ElicitationSchema, filled map[string]any) (values map[string]any, problems map[string]string) {
	values, problems = map[string]any{}, map[string]string{}
	for _, p := range s.Properties {
		in, given := filled[p.Name]
		if text, ok := in.(string); ok && text == "" {
			given = false
		}
		if !given {
			if slices.Contains(s.Required, p.Name) {
				problems[p.Name] = "must be filled in"
			}
			continue
		}

		value, problem := check(p.Schema, in)
		if problem != "" {
			problems[p.Name] = problem
			continue
		}

		values[p.Name] = value
	}

	return values, problems
}

func check(schema acp.ElicitationPropertySchema, in any) (value any, problem string) {
	text, isText := in.(string)
	switch p := schema.(type) {
	case *acp.StringPropertySchema:
		if !isText {
			return nil, "must be text"
		}
		return text, checkText(p, text)
	case *acp.NumberPropertySchema:
		n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
			return nil, "must be a number"
		}
		return n, within(n, p.Minimum, p.Maximum)
	case *acp.IntegerPropertySchema:
		n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		if err != nil {
			return nil, "must be a whole number"
		}
		return n, within(n, p.Minimum, p.Maximum)
	case *acp.BooleanPropertySchema:
		b, ok := in.(bool)
		if !ok {
			return nil, "must be yes or no"
		}
		return b, ""
	case *acp.MultiSelectPropertySchema:
		return checkList(p, in)
	}

	return nil, "cannot be filled in here"
}

func within[N int64 | float64](n N, least, most *N) string {
	switch {
	case least != nil && n < *least:
		return fmt.Sprintf("must be at least %v", *least)
	case most != nil && n > *most:
		return fmt.Sprintf("must be at most %v", *most)
	}
	return ""
}

func checkText(p *acp.StringPropertySchema, text string) string {
	length := uint32(utf8.RuneCountInString(text))
	switch {
	case p.MinLength != nil && length < *p.MinLength:
		return fmt.Sprintf("must have at least %d characters", *p.MinLength)
	case p.MaxLength != nil && length > *p.MaxLength:
		return fmt.Sprintf("must have at most %d characters", *p.MaxLength)
	}

	if list := choices(p.Enum, p.OneOf); len(list) > 0 && !offers(list, text) {
		return "must be one of those offered"
	}
	if p.Pattern != "" {
		// A pattern that Go cannot compile, for example one with back references, accepts everything.
		if re, err := regexp.Compile(p.Pattern); err == nil && !re.MatchString(text) {
			return "must match " + p.Pattern
		}
	}

	return checkFormat(p.Format, text)
}

func offers(list []Choice, value string) bool {
	return slices.ContainsFunc(list, func(c Choice) bool { return c.Value == value })
}

// checkFormat checks text against a known format; others are only remarks.
func checkFormat(format, text string) string {
	switch format {
	case acp.FormatEmail:
		if a, err := mail.ParseAddress(text); err != nil || a.Address != text {
			return "must be an email address"
		}
	case acp.FormatURI:
		if u, err := url.Parse(text); err != nil || u.Scheme == "" {
			return "must be a URI"
		}
	case acp.FormatDate:
		if _, err := time.Parse(time.DateOnly, text); err != nil {
			return "must be a date, as 2026-01-31"
		}
	case acp.FormatDateTime:
		if _, err := time.Parse(time.RFC3339, text); err != nil {
			return "must be a date and time, as 2026-01-31T12:00:00Z"
		}
	}

	return ""
}

func checkList(p *acp.MultiSelectPropertySchema, in any) (value any, problem string) {
	list, ok := in.([]any)
	if !ok {
		return nil, "must be a list"
	}

	out := []string{}
	for _, v := range list {
		text, ok := v.(string)
		if !ok || !offers(choices(p.Items.Enum, p.Items.AnyOf), text) {
			return nil, "must be of those offered"
		}
		out = append(out, text)
	}

	switch {
	case p.MinItems != nil && uint64(len(out)) < *p.MinItems:
		return nil, fmt.Sprintf("choose at least %d", *p.MinItems)
	case p.MaxItems != nil && uint64(len(out)) > *p.MaxItems:
		return nil, fmt.Sprintf("choose at most %d", *p.MaxItems)
	}

	return out, ""
}

func number(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
