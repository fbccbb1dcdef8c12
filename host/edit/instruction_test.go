package edit

import "testing"

// What the user has asked is read from each prompt that is made of it, and from nothing else (behaviour 1585).
func TestInstruction(t *testing.T) {
	const asked = "Change it,\n\nin two parts"
	around := Request{
		Path: "/p/a.go", First: 2, Last: 3, Lines: []string{"two", blockEnd}, Before: []string{"one"}, After: []string{"four"},
		Modified: true, Diagnostics: []string{"line 2: wrong"},
	}
	for _, kind := range []string{Edit, Ask} {
		for _, r := range []Request{{}, {First: 1, Last: 1, Again: true}, {Lines: []string{"x"}, Again: true}, around} {
			for _, all := range []bool{false, true} {
				r.Kind, r.Instruction, r.All = kind, asked, all
				want := asked
				if kind == Ask && r.Again {
					want += "\n"
				}
				if got := Instruction(r.Prompt()); got != want {
					t.Errorf("%+v: got %q, want %q", r, got, want)
				}
				if got := Instruction(r.Prompt() + "\nand more"); got != want+"\nand more" && kind != Ask {
					t.Errorf("%+v, and more: got %q", r, got)
				}
			}
		}
	}
	for _, text := range []string{
		"", "Change line 2 of a.go", "Change the colours in the user's editor:\n\nred\n\n" + linesNow + "\n\n" + blockEnd,
		changeLines + "line 2 of a.go" + inEditor + "red", notTaken + "red",
		"See:\nChange line 2 of a.go" + inEditor + "red\n\n" + linesNow + "\n\n" + blockEnd,
	} {
		if got := Instruction(text); got != text {
			t.Errorf("%q: got %q", text, got)
		}
	}
}
