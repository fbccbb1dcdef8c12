package session

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/plain"
)

// autonomy returns the name of the mode, or of the option about permissions, in which the agent decides by itself; "" if it asks.
func autonomy(list []acp.SessionConfigOption) string {
	for _, opt := range list {
		name := cmp.Or(plain.Brief(opt.Name), plain.Brief(opt.ID))
		about := topicOf(&opt)
		switch {
		case opt.Category != acp.CategoryMode && about == "":
		case opt.Type == acp.ConfigBoolean:
			if opt.CurrentBool && decides(opt.ID, opt.Name) {
				return name
			}
		case about != "" && valueDecides(about, &opt):
			return name + ": " + label(&opt)
		default:
			i := slices.IndexFunc(opt.All(), func(c acp.SessionConfigSelectOption) bool { return c.Value == opt.CurrentValue })
			if i < 0 {
				if decides(opt.CurrentValue) {
					return plain.Brief(opt.CurrentValue)
				}
				continue
			}
			if c := opt.All()[i]; decides(c.Value, c.Name, c.Description) {
				return cmp.Or(label(&opt), name)
			}
		}
	}

	return ""
}

// What an option may be about that is no mode.
const (
	ofAsking   = "asking"   // what the agent asks
	ofAutonomy = "autonomy" // how much it decides
	ofDeciding = "deciding" // whether it decides
)

func topicOf(opt *acp.SessionConfigOption) string {
	words := wordsOf(opt.ID) + wordsOf(opt.Name)
	switch {
	case opt.Category == acp.CategoryModel:
		return ""
	case strings.Contains(words, "autonom"):
		return ofAutonomy
	case strings.Contains(words, "approv"), strings.Contains(words, "permission"):
		return ofAsking
	case count(strings.Fields(words), autonomous) > 0 && decides(opt.ID, opt.Name):
		return ofDeciding
	}
	return ""
}

// valueDecides reports whether a value alone, of an option about that, says that the agent decides by itself.
func valueDecides(about string, opt *acp.SessionConfigOption) bool {
	words := strings.Fields(wordsOf(opt.CurrentValue))
	switch about {
	case ofAsking:
		return opt.CurrentValue == "never"
	case ofAutonomy:
		return count(words, much) > 0
	}
	return count(words, on) > 0
}

// autonomyText returns what the mode that is shown means for permissions, "" if the agent asks.
func (o *Options) autonomyText() string {
	var shown []acp.SessionConfigOption
	for _, has := range o.list {
		shown = append(shown, o.now(has))
	}
	return o.decidesText(shown)
}

func (o *Options) decidesText(list []acp.SessionConfigOption) string {
	mode := autonomy(list)
	if mode == "" {
		return ""
	}
	const text = "In mode %q %s decides by itself what to ask; no rule applies to the rest (:AcpMode)"
	return fmt.Sprintf(text, mode, o.agent.Title)
}

// sayAutonomy says once for each mode what that means. It is called where the agent is about to do something in it: a mode that is chosen
// and left before, or that the agent has not agreed to, is not named.
func (o *Options) sayAutonomy() {
	if text := o.decidesText(o.list); text != "" && !slices.Contains(o.autonomySaid, text) {
		o.screen.note(text, "AcpWarning")
		o.autonomySaid = append(o.autonomySaid, text)
	}
}
