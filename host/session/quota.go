package session

import (
	"fmt"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/plain"
)

// Limit is how near an account is to a limit of its provider.
type Limit struct {
	Share   float64 `msgpack:"share"`   // of what is allowed; 0: not known
	Reached bool    `msgpack:"reached"` // nothing more is answered until Resets
	Resets  int64   `msgpack:"resets"`  // unix seconds; 0: not known
	Span    string  `msgpack:"span"`    // what it counts: "5 h", "7 d", or ""
}

// nearLimit is the share of a limit from which it is shown, as long as its agent does not warn itself.
const nearLimit = 0.8

// limitOf returns the limit that an update tells of (Claude Code's _meta "_claude/rateLimit"), nil if it is not near, and
// whether it tells of one at all.
func limitOf(meta acp.Meta) (*Limit, bool) {
	var info struct {
		Status      string  `json:"status"`
		ResetsAt    int64   `json:"resetsAt"`
		Type        string  `json:"rateLimitType"`
		Utilization float64 `json:"utilization"`
	}
	raw, found := meta["_claude/rateLimit"]
	if !found || acp.Unmarshal(raw, &info) != nil {
		return nil, false
	}

	l := &Limit{Share: info.Utilization, Reached: info.Status == "rejected", Resets: info.ResetsAt}
	if l.Share > 1 { // in percent
		l.Share /= 100
	}
	switch {
	case strings.HasPrefix(info.Type, "five_hour"):
		l.Span = "5 h"
	case strings.HasPrefix(info.Type, "seven_day"):
		l.Span = "7 d"
	}

	if !l.Reached && info.Status != "allowed_warning" && l.Share < nearLimit {
		return nil, true
	}

	return l, true
}

// Tokens is a number of tokens in words, "" for none.
func Tokens(n uint64) string {
	switch {
	case n == 0:
		return ""
	case n >= 1e6:
		return fmt.Sprintf("%.1f M tokens", float64(n)/1e6)
	case n >= 1e3:
		return fmt.Sprintf("%.0f k tokens", float64(n)/1e3)
	}
	return fmt.Sprintf("%d tokens", n)
}

// Money is an amount in words. Without a currency it is taken for dollars.
func Money(amount float64, currency string) string {
	if currency == "USD" || currency == "" {
		return fmt.Sprintf("$%.2f", amount)
	}
	return fmt.Sprintf("%.2f %s", amount, plain.Brief(currency))
}
