package agents

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/paths"
	"github.com/nvim-acp/nvim-acp/host/plain"

	"github.com/nvim-acp/nvim-acp/internal/lazy"
)

// Servers are what the agent is told of, the same for each way of opening a session, and a sentence on each that it is not
// told of. Relative commands are below cwd.
//
// Values of variables that are secrets by their names are told to secret: they may stand in an argument or an address.
func Servers(
	specs map[string]Server, can acp.MCPCapabilities, agent, cwd string, secret func(string),
) (list []acp.MCPServer, wrong []string) {
	list = []acp.MCPServer{}
	for _, name := range slices.Sorted(maps.Keys(specs)) {
		server, why := specs[name].server(name, can, cwd, secret)
		if why != "" {
			wrong = append(wrong, fmt.Sprintf("MCP server %s is not passed on to %s: %s", plain.OneLine(name), agent, plain.OneLine(why)))
			continue
		}
		list = append(list, server)
	}
	return list, wrong
}

// server is the server for an agent with those capabilities, or why there is none.
func (s Server) server(name string, can acp.MCPCapabilities, cwd string, secret func(string)) (server acp.MCPServer, why string) {
	x := expander{lookup: os.LookupEnv, secret: secret}
	if s.Project {
		x.lookup = lookupForProject
	}

	kind := s.Type
	if kind == "" {
		kind = map[bool]string{true: "stdio", false: "http"}[s.URL == ""]
	}
	switch kind {
	case "stdio":
		stdio := &acp.MCPServerStdio{Name: name, Command: x.expand(s.Command), Args: []string{}, Env: []acp.EnvVariable{}}
		for _, arg := range s.Args {
			stdio.Args = append(stdio.Args, x.expand(arg))
		}
		for _, k := range slices.Sorted(maps.Keys(s.Env)) {
			stdio.Env = append(stdio.Env, acp.EnvVariable{Name: k, Value: x.expand(s.Env[k])})
		}
		if s.Command == "" {
			return nil, "it has no command"
		}
		if x.unset == nil {
			path, err := program(stdio.Command, cwd)
			if err != nil {
				return nil, err.Error()
			}
			stdio.Command = path
		}
		server = stdio
	case "http", "sse":
		if s.URL == "" {
			return nil, "it has no url"
		}
		headers := []acp.HTTPHeader{}
		for _, k := range slices.Sorted(maps.Keys(s.Headers)) {
			headers = append(headers, acp.HTTPHeader{Name: k, Value: x.expand(s.Headers[k])})
		}
		switch url := x.expand(s.URL); {
		case kind == "http" && can.HTTP:
			server = &acp.MCPServerHTTP{Name: name, URL: url, Headers: headers}
		case kind == "sse" && can.SSE:
			server = &acp.MCPServerSSE{Name: name, URL: url, Headers: headers}
		default:
			return nil, "it takes none over " + kind
		}
	default:
		return nil, "there is no type " + kind
	}

	if x.unset != nil {
		return nil, x.why(s.Project)
	}

	return server, ""
}

// program is the absolute path of a command: of a file below cwd or home, or found on PATH.
func program(command, cwd string) (string, error) {
	command = paths.Expand(command)
	if strings.Contains(command, "/") && !filepath.IsAbs(command) {
		command = filepath.Join(cwd, command)
	}
	path, err := exec.LookPath(command)
	if err != nil {
		return "", fmt.Errorf("no program %q", command)
	}
	return filepath.Abs(path)
}

// variable is ${NAME} or ${NAME:-default}.
var variable = lazy.Regexp(`\$\{([A-Za-z_][A-Za-z0-9_]*)(:-[^}]*)?\}`)

// expander puts values of variables into texts, and notes those that have none.
type expander struct {
	lookup func(string) (string, bool)
	secret func(value string)
	unset  []string
}

// secretName is a variable that holds a secret, by its name.
var secretName = lazy.Regexp(`(?i)token|key|secret|pass|auth|cred`)

func (x *expander) expand(text string) string {
	return variable().ReplaceAllStringFunc(text, func(match string) string {
		m := variable().FindStringSubmatch(match)
		value, ok := x.lookup(m[1])
		switch {
		case ok && (value != "" || m[2] == ""):
			if secretName().MatchString(m[1]) {
				x.secret(value)
			}
			return value
		case m[2] != "":
			return m[2][2:]
		}

		x.unset = append(x.unset, m[1])
		return ""
	})
}

func (x *expander) why(project bool) string {
	slices.Sort(x.unset)
	names := slices.Compact(x.unset)
	if project {
		withheld := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(forProject, name) })
		if len(withheld) > 0 {
			return "a project is not given the value of $" + strings.Join(withheld, ", $")
		}
	}
	return "$" + strings.Join(names, ", $") + " is not set"
}

// forProject are the variables whose values a project's configuration may use: what it could find out anyway.
var forProject = []string{
	"HOME", "USER", "LOGNAME", "PATH", "SHELL", "LANG", "TMPDIR", "PWD", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME",
}

func lookupForProject(name string) (string, bool) {
	if !slices.Contains(forProject, name) {
		return "", false
	}
	return os.LookupEnv(name)
}

// ServerName is the name of a server.
func ServerName(server acp.MCPServer) string {
	switch server := server.(type) {
	case *acp.MCPServerStdio:
		return server.Name
	case *acp.MCPServerHTTP:
		return server.Name
	case *acp.MCPServerSSE:
		return server.Name
	}
	return ""
}
