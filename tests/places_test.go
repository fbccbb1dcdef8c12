package tests

import (
	"fmt"
	"os/exec"
	"sync"
)

// condition reports what this machine can do. Stories that need it are skipped with the reason where it cannot.
func condition(name string) (bool, error) {
	probe, ok := probes[name]
	if !ok {
		return false, fmt.Errorf("unknown condition %q", name)
	}
	return probe(), nil
}

// probes are run once.
var probes = map[string]func() bool{
	"sandbox":   probe("bwrap", "--ro-bind", "/", "/", "--unshare-user-try", "--unshare-pid", "--dev", "/dev", "--proc", "/proc", "true"),
	"container": probe("unshare", "-rm", "sh", "-c", "mount --bind /tmp /mnt"),
	"sshd":      probe("/usr/sbin/sshd", "-V"),
}

func probe(words ...string) func() bool {
	return sync.OnceValue(func() bool { return exec.Command(words[0], words[1:]...).Run() == nil })
}
