package session

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/plain"
)

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
