package demo

import "testing"

// Each flaw is found where it is one, and nowhere else.
func TestFlaws(t *testing.T) {
	tests := []struct {
		name, path, text, want string
	}{
		{"go loop", "a.go", sum, sumFixed},
		{"go pairs", "a.go", "for i := 0; i < len(x)-1; i++ {\n\ta(x[i], x[i+1])\n}\n", ""},
		{"go spaced", "a.go", "for i := 0; i < len(s.x) - 1; i++ {\n\n\ta(x[i])\n}\n", "for i := 0; i < len(s.x); i++ {\n\n\ta(x[i])\n}\n"},
		{"js", "a.js", "for (let i = 0; i < xs.length - 1; i++) {\n  a(xs[i]);\n}\n", "for (let i = 0; i < xs.length; i++) {\n  a(xs[i]);\n}\n"},
		{"lua", "a.lua", "for i = 1, #items - 1 do\n  a(items[i])\nend\n", "for i = 1, #items do\n  a(items[i])\nend\n"},
		{"lua pairs", "a.lua", "for i = 1, #items - 1 do\n  a(items[i + 1])\nend\n", ""},
		{"python", "a.py", "for i in range(len(xs) - 1):\n    print(xs[i])\n", "for i in range(len(xs)):\n    print(xs[i])\n"},
		{"line ends", "a.lua", "for i = 1, #t - 1 do\r\nend\r\n", "for i = 1, #t do\r\nend\r\n"},
		{"comment", "a.go", "x := 1 // Recieve teh rest\n", "x := 1 // Receive the rest\n"},
		{"code", "a.go", "recieve := 1\n", ""},
		{"string", "a.go", "x := \"// recieve\"\n", ""},
		{"prose", "a.md", "You will recieve it.\n", "You will receive it.\n"},
		{"last line", "a.md", "one\ntwo", "one\ntwo\n"},
		{"last line, misspelt", "a.md", "teh", "the\n"},
		{"unknown kind", "a.bin", "teh", ""},
		{"empty", "a.md", "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			flaws := findFlaws(test.path, test.text)
			if test.want == "" {
				if len(flaws) != 0 {
					t.Errorf("got %+v, want no flaw", flaws)
				}
				return
			}
			got := correct(test.text, flaws)
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if rest := findFlaws(test.path, got); len(rest) != 0 {
				t.Errorf("afterwards: got %+v, want no flaw", rest)
			}
		})
	}
}
