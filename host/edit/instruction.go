package edit

import "strings"

// Instruction returns what the user has asked in a prompt of [Request.Prompt] that an agent sends back as their words, and what follows it.
// Another text is returned as it is.
func Instruction(text string) string {
	begin, asked, ok := strings.Cut(text, inEditor)
	switch ok = ok && !strings.Contains(begin, "\n"); {
	case strings.HasPrefix(text, notTaken):
		asked = strings.TrimPrefix(text, notTaken)
	case ok && strings.HasPrefix(begin, aboutLines+"line"), ok && strings.HasPrefix(begin, changeLines+"line"):
	default:
		return text
	}

	end := -1
	for _, last := range []string{blockEnd, wordsEnd} {
		if i := strings.LastIndex(asked, last); i >= 0 {
			end = max(end, i+len(last))
		}
	}
	if end < 0 {
		return text
	}

	instruction, rest := asked[:end], strings.TrimLeft(asked[end:], " \n")
	for _, part := range []string{
		linesNow, notSaved, linesAbove, linesBelow, nearestAbove, nearestBelow, diagnostics, answerBlock, answerWords,
	} {
		instruction, _, _ = strings.Cut(instruction, "\n\n"+part)
	}
	if rest != "" {
		instruction += "\n" + rest
	}
	return instruction
}
