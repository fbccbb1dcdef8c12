package session

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/plain"
)

// autonomous has the words by which agents call a mode in which they decide by themselves what to edit or to run. Several words
// must follow each other.
var autonomous = []string{
	"auto", "autoedit", "autoapprove", "autoaccept", "automatic", "autopilot", "autonomous", "yolo", "bypass", "unattended",
	"accept edits", "full access", "workspace write", "dont ask", "don t ask", "never ask", "always allow", "always approve",
	"allow all", "approve all", "accept all", "trust all", "skip permissions", "no approval", "dangerously",
	"without asking", "without approval", "without permission", "without confirmation",
}

// wordsOf splits a name at what is neither letter nor digit, and before capitals within a word. Of an address only the end counts.
func wordsOf(name string) string {
	if strings.Contains(name, "://") {
		name = name[strings.LastIndexAny(name, "/#")+1:]
	}

	var b strings.Builder
	lower := false
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			b.WriteByte(' ')
		case unicode.IsUpper(r) && lower:
			b.WriteByte(' ')
			fallthrough
		default:
			b.WriteRune(unicode.ToLower(r))
		}
		lower = unicode.IsLower(r)
	}

	return " " + strings.Join(strings.Fields(b.String()), " ") + " "
}

// decides reports whether texts of a mode say that the agent decides by itself in it.
func decides(texts ...string) bool {
	for _, text := range texts {
		words := wordsOf(text)
		if slices.ContainsFunc(autonomous, func(w string) bool { return strings.Contains(words, " "+w+" ") }) ||
			strings.Contains(words, " bypass") {
			return true
		}
	}
	return false
}

// autonomy returns the name of the mode, or of the option about permissions, in which the agent decides by itself; "" if it
// asks.
func (o *Options) autonomy() string {
	for _, has := range o.list {
		opt := o.now(has)
		words := wordsOf(opt.ID) + wordsOf(opt.Name)
		asks := strings.Contains(words, "approv") || strings.Contains(words, "permission")
		switch {
		case opt.Category != acp.CategoryMode && !asks:
		case opt.Type == acp.ConfigBoolean:
			if opt.CurrentBool && decides(opt.ID, opt.Name) {
				return plain.Brief(opt.Name)
			}
		case asks && opt.CurrentValue == "never":
			return plain.Brief(opt.Name) + ": " + label(&opt)
		default:
			i := slices.IndexFunc(opt.All(), func(c acp.SessionConfigSelectOption) bool { return c.Value == opt.CurrentValue })
			if i < 0 {
				if decides(opt.CurrentValue) {
					return plain.Brief(opt.CurrentValue)
				}
				continue
			}
			if c := opt.All()[i]; decides(c.Value, c.Name, c.Description) {
				return plain.Brief(c.Name)
			}
		}
	}

	return ""
}

// autonomyText returns what the mode means for permissions, "" if the agent asks.
func (o *Options) autonomyText() string {
	mode := o.autonomy()
	if mode == "" {
		return ""
	}
	const text = "In mode %q %s decides by itself what to ask; no rule applies to the rest (:AcpMode)"
	return fmt.Sprintf(text, mode, o.agent.Title)
}

// sayAutonomy says once for each mode what that means, in a conversation that has begun; before, the empty chat says it.
func (o *Options) sayAutonomy() {
	if o.screen.log.Blocks().Empty() {
		return
	}
	if text := o.autonomyText(); text != "" && !slices.Contains(o.autonomySaid, text) {
		o.screen.note(text, "AcpWarning")
		o.autonomySaid = append(o.autonomySaid, text)
	}
}
