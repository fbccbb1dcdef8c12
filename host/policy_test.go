package host

import (
	"os"
	"path/filepath"
	"testing"
)

func TestSecret(t *testing.T) {
	dir := t.TempDir()
	home := filepath.Join(dir, "home")
	t.Setenv("HOME", home)
	for _, sub := range []string{"home", "real"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(dir, "real"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		pattern, path string
		want          bool
	}{
		{"**/.env*", "/p/.env", true},
		{"**/.env*", "/p/a/.ENV.local", true},
		{"**/.env*", "/p/env", false},
		{"**/.ssh/**", "/home/u/.ssh/id", true},
		{"**/.ssh/**", "/home/u/.ssh/a/b", true},
		{"**/.ssh/**", "/home/u/.sshx/a", false},
		{"**/.aws/credentials", "/home/u/.aws/credentials", true},
		{"**/.aws/credentials", "/home/u/.aws/config", false},
		{"**/*.pem", "/p/x.pem", true},
		{"**/*.pem", "/p/dir.pem/x", true},
		{"/etc/secrets/**", "/etc/secrets/a", true},
		{"/etc/secrets/**", "/etc/secrets/a/b/c", true},
		{"/etc/secrets/**", "/etc/secrets", true},
		{"/etc/secrets/", "/etc/secrets/a/b", true},
		{"/etc/secrets/**", "/p/etc/secrets/a", false},
		{"/etc/*.key", "/etc/a.key", true},
		{"/etc/*.key", "/etc/a/b.key", false},
		{"**/vault/**/key", "/p/vault/a/b/key", true},
		{"**/vault/**/key", "/p/vault/key", true},
		{"**/vault/**/key", "/p/key", false},
		{"vault/*.txt", "/p/vault/x.txt", true},
		{"{a,b}.key", "/p/b.key", true},
		{"~/tokens/*", home + "/tokens/x", true},
		{dir + "/link/**", dir + "/real/x", true},
		{"[", "/p/x", true},
	} {
		if got := secret(tt.pattern, tt.path); got != tt.want {
			t.Errorf("secret(%q, %q) = %v, want %v", tt.pattern, tt.path, got, tt.want)
		}
	}
}
