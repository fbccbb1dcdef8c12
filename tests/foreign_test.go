package tests

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// foreignHost is a program of another user, who has made the folder of this user's sockets first, with a socket in it. Where only this user
// can be, it is a folder that everybody may enter. It prints a line for each that connects, with what it was sent.
func foreignHost() {
	const stranger = 65534
	dir := os.Args[1]
	check := func(err error) {
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
	if os.Getuid() == 0 {
		check(syscall.Setregid(stranger, stranger))
		check(syscall.Setreuid(stranger, stranger))
	}
	check(os.Mkdir(dir, 0o755))
	l, err := net.Listen("unix", filepath.Join(dir, strconv.Itoa(os.Getpid())))
	check(err)
	check(os.Chmod(l.Addr().String(), 0o777)) //nolint:gosec // whoever wants may connect
	fmt.Println(l.Addr())
	for {
		conn, err := l.Accept()
		check(err)
		_ = conn.SetDeadline(time.Now().Add(time.Second))
		said, _ := io.ReadAll(io.LimitReader(conn, 64))
		fmt.Printf("connected, and said %q\n", said)
	}
}

// Another user who has made the folder of the sockets, or could have, is not connected to by `nvim-acp ps`, `stop`, `attach`, a new
// chat or :AcpAttach, each of which says why; nothing of this user's is put there (behaviour 750).
func TestForeignSockets(t *testing.T) {
	t.Parallel()
	dirName, why := fmt.Sprintf("nvim-acp-%d", os.Getuid()), "chmod 700 "
	if os.Getuid() == 0 {
		why = "belongs to another user"
	}
	temp := runDir(t)
	if err := os.Chmod(temp, 0o777|os.ModeSticky); err != nil { // as /tmp
		t.Fatal(err)
	}
	enemy := exec.Command(mustLook("foreign-host"), filepath.Join(temp, dirName))
	out, err := enemy.StdoutPipe()
	if err == nil {
		err = enemy.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = enemy.Process.Kill(); _ = enemy.Wait() })
	heard := bufio.NewReader(out)
	socket, err := heard.ReadString('\n')
	socket = strings.TrimSpace(socket)
	if err != nil || !strings.HasPrefix(socket, temp) {
		t.Fatalf("the other user's program: %s, %v", socket, err)
	}

	dir := t.TempDir()
	env := append(cleanEnv(), "TMPDIR="+temp, "XDG_STATE_HOME="+dir, "GORACE=atexit_sleep_ms=0")
	for _, args := range [][]string{{"ps"}, {"ps", "--json"}, {"stop", "all"}, {"stop", strconv.Itoa(enemy.Process.Pid)}, {"attach", socket}} {
		cmd := exec.Command(mustLook("nvim-acp"), args...)
		cmd.Env = env
		said, _ := cmd.CombinedOutput()
		if !strings.Contains(string(said), why) || !strings.Contains(string(said), temp+"/"+dirName) {
			t.Errorf("nvim-acp %v: %s", args, said)
		}
	}

	e, err := startEditor(plugin(t), dir, env)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.close)
	for _, step := range []struct{ do, until string }{
		{`require("nvim-acp").chat()`, `vim.fn.execute("messages"):match("not all detached hosts are listed: .*` + why + `")`},
		{`vim.cmd("messages clear") vim.cmd("AcpAttach")`, `vim.fn.execute("messages"):match("not all detached hosts are listed: .*` + why + `")`},
		{`vim.cmd("messages clear") require("nvim-acp.attach").connect({ pid = 7, path = "` + socket + `", interface = require("nvim-acp.rpc").interface, sessions = {} })`,
			`vim.fn.execute("messages"):match("host 7 is not attached: .*` + why + `")`},
		{`vim.cmd("messages clear") require("nvim-acp").detach()`, `vim.fn.execute("messages") ~= ""`},
	} {
		if _, err := e.lua(step.do); err != nil {
			t.Fatal(err)
		}
		if err := e.wait(step.until); err != nil {
			t.Errorf("%s: %v", step.do, err)
		}
	}

	if err := enemy.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if rest, _ := io.ReadAll(heard); len(rest) > 0 {
		t.Errorf("the other user's program heard: %s", rest)
	}
	if entries, _ := os.ReadDir(filepath.Dir(socket)); len(entries) > 1 {
		t.Errorf("the other user's folder has %v", entries)
	}
}
