package plain

// maxDepth is how many brackets a value is within that is still indented: indents take the square of that.
const maxDepth = 100

// Deep reports whether JSON is too deep to be indented. Brackets in its texts count too.
func Deep(raw []byte) bool {
	depth := 0
	for _, c := range raw {
		switch c {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		}
		if depth > maxDepth {
			return true
		}
	}

	return false
}
