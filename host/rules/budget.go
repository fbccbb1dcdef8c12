package rules

// The cost of a judgement grows faster than its text: programs run programs, and each word may be one. So a judgement has a budget of
// steps, and what needs more is asked about.
const (
	maxSteps = 600_000 // of a judgement; one takes some ten nanoseconds
	maxNodes = 6000    // of a parsed text
	maxParts = 1000    // commands, and files that are redirected to
	perByte  = 15      // steps to parse a byte of a text
	perParse = 500     // steps to parse a text, beside those for its bytes
)

const tooLong = "it is too long to be read"

// budget is the number of steps that a judgement has left.
type budget struct{ left int }

// take takes steps from the budget, and reports whether it had as many.
func (b *budget) take(steps int) bool {
	b.left -= steps
	return b.left >= 0
}
