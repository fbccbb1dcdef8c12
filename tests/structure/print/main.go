// Command print prints how the program's code is built.
package main

import (
	"fmt"
	"os"

	"github.com/nvim-acp/nvim-acp/tests/structure"
)

func main() {
	r, err := structure.Measure(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	r.Print(os.Stdout)
}
