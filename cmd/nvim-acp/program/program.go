// Package program is the command nvim-acp, apart from package main so that tests can be it too.
package program

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/nvim-acp/nvim-acp/host"
	"github.com/nvim-acp/nvim-acp/host/guard"
	"github.com/nvim-acp/nvim-acp/host/install"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/secrets"
)

const usage = `usage: nvim-acp            the host, for Neovim to start: msgpack-RPC on stdin and stdout
       nvim-acp agent      the demo agent, or with --script FILE or --replay FILE a scripted one
       nvim-acp attach     joins a Neovim to such a host, for Neovim to start: its socket, on stdin and stdout
       nvim-acp install    installs agents, for Neovim to start: a request and its answers on stdin and stdout
       nvim-acp mcp        the MCP server of the editor's tools, for agents to start
       nvim-acp ps         lists the hosts that live on without Neovim; with --json for programs
       nvim-acp secrets    says what is wrong with patterns of fs.secret, a line for each pattern
       nvim-acp stop       ends such a host, by its process id of ps, or all; the only one needs no id
       nvim-acp version
`

// Main runs the command that os.Args names and returns the exit status.
func Main(version string) int {
	args := os.Args[1:]
	if len(args) == 0 {
		return report(serve(version))
	}
	switch args[0] {
	case "agent":
		return agent(args[1:])
	case "attach":
		return report(join(args[1:]))
	case "guard":
		guard.Main(os.Stdin, os.Stdout)
		return 0
	case "install":
		return install.Main(os.Stdin, os.Stdout)
	case "mcp":
		return report(bridge())
	case "ps":
		return report(ps(args[1:]))
	case "secrets":
		for _, pattern := range args[1:] {
			fmt.Println(secrets.Problem(pattern))
		}
		return 0
	case "stop":
		return report(stop(args[1:]))
	case "version":
		fmt.Printf("nvim-acp %s (interface %d, %s)\n", version, host.Interface, runtime.Version())
		return 0
	}

	fmt.Fprint(os.Stderr, usage)
	return 2
}

func report(err error) int {
	if err != nil {
		fmt.Fprintln(os.Stderr, "nvim-acp:", plain.Visible(err.Error())) // names in it are others' words
		return 1
	}
	return 0
}

// serve is the host. Neovim ends it with the end of stdin and SIGTERM together; the first is enough, and orderly. One
// that was detached heeds SIGTERM, which then comes from the user or the system, but not the SIGHUP of a terminal that
// is closed. A killed Neovim may leave it writing to a broken pipe, which must not keep it from the last lines of its
// records.
func serve(version string) error {
	ignored := make(chan os.Signal, 1) // not signal.Ignore, which the agents would inherit
	signal.Notify(ignored, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT, syscall.SIGPIPE)
	return host.Serve(version, os.Args[0])
}
