// Command nvim-acp is the program behind the Neovim plugin. Without arguments it is the host that the plugin starts and
// speaks msgpack-RPC with on stdin and stdout; `nvim-acp agent` is the demo agent.
package main

import (
	"os"

	"github.com/nvim-acp/nvim-acp/cmd/nvim-acp/program"
)

// version is set by the linker.
var version = "dev"

func main() { os.Exit(program.Main(version)) }
