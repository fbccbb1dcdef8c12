package session

import (
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
)

// A limit is shown from four fifths of it on, as a share or in percent, and when its agent warns of it (behaviour 293).
func TestLimit(t *testing.T) {
	for _, tt := range []struct {
		name, meta string
		want       *Limit
	}{
		{"far", `{"utilization": 0.79}`, nil},
		{"near", `{"utilization": 0.8}`, &Limit{Share: 0.8}},
		{"near, in percent", `{"utilization": 80}`, &Limit{Share: 0.8}},
		{"all of it", `{"utilization": 1}`, &Limit{Share: 1}},
		{"all of it, in percent", `{"utilization": 100, "rateLimitType": "five_hour"}`, &Limit{Share: 1, Span: "5 h"}},
		{"far, with a warning", `{"utilization": 0.5, "status": "allowed_warning"}`, &Limit{Share: 0.5}},
		{"reached", `{"status": "rejected", "resetsAt": 7, "rateLimitType": "seven_day_opus"}`, &Limit{Reached: true, Resets: 7, Span: "7 d"}},
	} {
		got, told := limitOf(acp.Meta{"_claude/rateLimit": acp.Raw(tt.meta)})
		if !told || (got == nil) != (tt.want == nil) || got != nil && *got != *tt.want {
			t.Errorf("%s: got %+v, %v, want %+v", tt.name, got, told, tt.want)
		}
	}
	for _, meta := range []acp.Meta{nil, {"_claude/rateLimit": acp.Raw(`"near"`)}} {
		if got, told := limitOf(meta); got != nil || told {
			t.Errorf("%v: got %+v, %v, want none", meta, got, told)
		}
	}
}

// An amount has the sign of dollars, or the name of its currency (behaviour 647).
func TestMoney(t *testing.T) {
	for currency, want := range map[string]string{"": "$1.50", "USD": "$1.50", "EUR": "1.50 EUR"} {
		if got := Money(1.5, currency); got != want {
			t.Errorf("in %q: got %q, want %q", currency, got, want)
		}
	}
}
