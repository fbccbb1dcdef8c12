package elsewhere

import "strings"

// RunBy returns what runs a file by itself, or takes orders from it, "" if nothing is known to.
func RunBy(path string) string {
	if strings.Contains(path, "/.git/") {
		return "Git"
	}
	return runBy(path)
}
