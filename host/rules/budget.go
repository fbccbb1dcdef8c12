package rules

// What a text costs to judge grows faster than the text: programs run programs, and each word may be one. A judgement has so many steps,
// and what needs more of them is asked about.
const (
	maxSteps = 600_000 // a step takes some ten nanoseconds
	maxNodes = 6000    // of a text that is parsed
	maxParts = 1000    // commands, and files that are redirected to
	perByte  = 15      // steps for each byte of a text that is parsed
	perParse = 500
)

const tooLong = "it is too long to be read"

// budget is what one judgement has left.
type budget struct{ left int }

// take reports whether so many steps are left, and takes them.
func (b *budget) take(steps int) bool {
	b.left -= steps
	return b.left >= 0
}
