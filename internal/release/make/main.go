// Command make builds the archives of a release; scripts/release calls it.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/nvim-acp/nvim-acp/internal/release"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: make VERSION FOLDER")
		os.Exit(2)
	}
	if err := release.Make(context.Background(), ".", os.Args[2], os.Args[1], release.Platforms); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}
