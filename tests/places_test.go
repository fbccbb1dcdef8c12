package tests

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// condition reports what this machine can do. Stories that need it are skipped with the reason where it cannot.
func condition(name string) (bool, error) {
	probe, ok := probes[name]
	if !ok {
		return false, fmt.Errorf("unknown condition %q", name)
	}
	return probe(), nil
}

// sshd is the server; with -V it only says its version.
const sshd = "/usr/sbin/sshd"

// probes are run once.
var probes = map[string]func() bool{
	"sandbox":   probe("bwrap", "--ro-bind", "/", "/", "--unshare-user-try", "--unshare-pid", "--dev", "/dev", "--proc", "/proc", "true"),
	"container": probe("unshare", "-rm", "sh", "-c", "mount --bind /tmp /mnt"),
	"sshd":      probe("sh", "-c", "test -x "+sshd+" && command -v ssh && command -v ssh-keygen"),
}

func probe(words ...string) func() bool {
	return sync.OnceValue(func() bool { return exec.Command(words[0], words[1:]...).Run() == nil })
}

// ssh makes a machine "box", see [machine].
func (s *story) ssh(ts *testscript.TestScript, _ []string) error { return machine(ts.MkAbs(".")) }

// machine makes a machine "box" that ssh -F DIR/ssh/config reaches as long as there is a file DIR/ssh/up: a server of its own for
// each connection, so it needs no port.
func machine(dir string) error {
	dir = filepath.Join(dir, "ssh")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	me, err := user.Current()
	if err != nil {
		return err
	}
	if me.Uid == "0" { // the server separates its privileges there
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			return err
		}
	}
	for _, name := range []string{"host", "user"} {
		out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(dir, name)).CombinedOutput()
		if err != nil {
			return fmt.Errorf("ssh-keygen: %w: %s", err, out)
		}
	}
	files := map[string]string{
		"sshd_config": `HostKey DIR/host
AuthorizedKeysFile DIR/user.pub
StrictModes no
UsePAM no
PermitRootLogin yes
PrintMotd no
PrintLastLog no
LogLevel QUIET
SetEnv HOME=DIR
`,
		"config": `Host box
  User USER
  ProxyCommand sh DIR/connect
  IdentityFile DIR/user
  IdentitiesOnly yes
  StrictHostKeyChecking no
  UserKnownHostsFile /dev/null
`,
		"connect": "echo >>DIR/connections; test -e DIR/up && exec SSHD -i -f DIR/sshd_config 2>/dev/null",
		"up":      "",
	}
	fill := strings.NewReplacer("DIR", dir, "USER", me.Username, "SSHD", sshd)
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(fill.Replace(text)), 0o600); err != nil {
			return err
		}
	}
	return nil
}
