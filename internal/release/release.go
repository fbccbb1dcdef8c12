// Package release makes the archives of a release: the program for each platform, and their sums. The same sources and the same
// Go make the same bytes, on any machine and in any folder, so that whoever builds a tag again can check its sums.
package release

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Sums is the name of the file with the sums of all archives, in the form of sha256sum.
const Sums = "SHA256SUMS"

// Platforms are those that a release has archives for, as GOOS/GOARCH.
var Platforms = []string{"darwin/amd64", "darwin/arm64", "linux/amd64", "linux/arm64"}

// versions are the names of tags that a release can have.
var versions = regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?$`)

// Archive returns the name of the archive of a version for a platform.
func Archive(version, platform string) string {
	return fmt.Sprintf("nvim-acp-%s-%s.tar.gz", version, strings.ReplaceAll(platform, "/", "-"))
}

// Make builds the sources in root for some platforms and writes the archives, and the file of their sums, into the folder out,
// which it makes. It runs the Go that is on $PATH and waits for it.
func Make(ctx context.Context, root, out, version string, platforms []string) error {
	if !versions.MatchString(version) {
		return fmt.Errorf("version %q: not of the form v1.2.3", version)
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}

	license, err := os.ReadFile(filepath.Join(root, "LICENSE"))
	if err != nil {
		return err
	}

	var sums []string
	for _, platform := range slices.Sorted(slices.Values(platforms)) {
		program, err := build(ctx, root, version, platform)
		if err != nil {
			return fmt.Errorf("build for %s: %w", platform, err)
		}

		data, err := pack([]file{{"LICENSE", 0o644, license}, {"nvim-acp", 0o755, program}})
		if err != nil {
			return err
		}

		name := Archive(version, platform)
		if err := os.WriteFile(filepath.Join(out, name), data, 0o666); err != nil {
			return err
		}

		sums = append(sums, fmt.Sprintf("%x  %s\n", sha256.Sum256(data), name))
	}

	return os.WriteFile(filepath.Join(out, Sums), []byte(strings.Join(sums, "")), 0o666)
}

// build returns the program for a platform. Nothing of the machine goes into it: no path, no time, no state of a repository.
func build(ctx context.Context, root, version, platform string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "nvim-acp-release")
	if err != nil {
		return nil, err
	}

	defer os.RemoveAll(dir)

	env := []string{"CGO_ENABLED=0", "GOFLAGS=", "GOEXPERIMENT=", "GOWORK=off"}
	if err := run(ctx, root, env, "generate", "./host/highlight/lexers"); err != nil {
		return nil, err
	}

	system, machine, _ := strings.Cut(platform, "/")
	env = append(env, "GOOS="+system, "GOARCH="+machine, "GOAMD64=v1", "GOARM64=v8.0")
	program := filepath.Join(dir, "nvim-acp")
	err = run(ctx, root, env, "build", "-trimpath", "-tags", "lexers", "-buildvcs=false",
		"-ldflags", "-s -w -buildid= -X main.version="+version, "-o", program, "./cmd/nvim-acp")
	if err != nil {
		return nil, err
	}

	return os.ReadFile(program)
}

// run runs Go in a folder, with some variables.
func run(ctx context.Context, dir string, env []string, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go %s: %w\n%s", args[0], err, &stderr)
	}
	return nil
}

// file is a file of an archive.
type file struct {
	name string
	mode int64
	data []byte
}

// pack returns an archive with files of no time and no owner.
func pack(files []file) ([]byte, error) {
	var out bytes.Buffer
	zip, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}

	archive := tar.NewWriter(zip)
	for _, f := range files {
		header := &tar.Header{Name: f.name, Mode: f.mode, Size: int64(len(f.data)), ModTime: time.Unix(0, 0), Format: tar.FormatUSTAR}
		if err := archive.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := archive.Write(f.data); err != nil {
			return nil, err
		}
	}

	if err := archive.Close(); err != nil {
		return nil, err
	}
	if err := zip.Close(); err != nil {
		return nil, err
	}

	return out.Bytes(), nil
}
