// Command registry makes the list of agents that the plugin knows of a registry on stdin; scripts/registry calls it.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/host/install"
)

// platforms are those that the plugin runs on, as registries name them.
var platforms = []string{"darwin-aarch64", "darwin-x86_64", "linux-aarch64", "linux-x86_64"}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "registry:", err)
		os.Exit(1)
	}
}

func run() error {
	list, err := install.Read(os.Stdin)
	if err != nil {
		return err
	}

	list.Agents = slices.DeleteFunc(list.Agents, func(a install.Agent) bool {
		for platform := range a.Distribution.Binary {
			if !slices.Contains(platforms, platform) {
				delete(a.Distribution.Binary, platform)
			}
		}
		problem := check(a)
		if problem != nil {
			fmt.Fprintln(os.Stderr, "registry: left out:", problem)
		}
		return problem != nil
	})
	slices.SortFunc(list.Agents, func(a, b install.Agent) int { return strings.Compare(a.ID, b.ID) })
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	out.SetIndent("", " ")
	return out.Encode(list)
}

// check plans an agent for each platform, and returns the problem of one that can be had for none.
func check(a install.Agent) (problem error) {
	for _, platform := range platforms {
		_, err := install.Make(a, "/", platform, func(string) bool { return true })
		if err == nil {
			return nil
		}
		problem = err
	}
	return problem
}
