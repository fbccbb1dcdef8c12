package install

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/internal/caught"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

const (
	maxDownload = 2 << 30
	maxUnpacked = 8 << 30
)

// silence is how long a server may say nothing.
var silence = time.Minute

// client follows redirects, but from https to https only.
func client() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = silence
	return &http.Client{
		Transport: transport,
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if len(via) > 10 {
				return errors.New("too many redirects")
			}
			if via[0].URL.Scheme == "https" && r.URL.Scheme != "https" {
				return fmt.Errorf("it leads to %s, which is not encrypted", r.URL.Host)
			}
			return nil
		},
	}
}

// fetch asks for an address. The caller closes the body.
func fetch(ctx context.Context, address string) (*http.Response, error) {
	ctx, stop := context.WithCancelCause(ctx)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		stop(nil)
		return nil, err
	}

	resp, err := client().Do(r)
	if err != nil {
		stop(nil)
		return nil, err
	}

	resp.Body = &body{resp.Body, ctx, stop, caught.After(silence, func() {
		stop(fmt.Errorf("%s: the server has said nothing for %v", address, silence))
	})}
	if resp.StatusCode != http.StatusOK {
		_ = resp.Body.Close()
		return nil, fmt.Errorf("%s: %s", address, resp.Status)
	}

	return resp, nil
}

// body is what a server sends. Its context ends when nothing comes for long.
type body struct {
	io.ReadCloser
	ctx   context.Context
	stop  context.CancelCauseFunc
	waits *time.Timer
}

func (b *body) Read(p []byte) (int, error) {
	b.waits.Reset(silence)
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF && b.ctx.Err() != nil {
		err = context.Cause(b.ctx)
	}
	return n, err
}

func (b *body) Close() error {
	b.waits.Stop()
	b.stop(nil)
	return b.ReadCloser.Close()
}

// FetchRegistry downloads a registry.
func FetchRegistry(ctx context.Context, address string) (*Registry, error) {
	resp, err := fetch(ctx, address)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return Read(resp.Body)
}

// fillArchive downloads the archive, compares its sum before anything else is done with it, and unpacks it.
func (p *Plan) fillArchive(ctx context.Context, folder string, m *Manifest, progress func(string)) error {
	file := filepath.Join(folder, ".archive")
	sum, err := download(ctx, p.Source, file, progress)
	if err != nil {
		return err
	}
	if p.SHA256 != "" && sum != p.SHA256 {
		return fmt.Errorf("%s has the SHA-256 %s, not %s, and is not used", p.Source, sum, p.SHA256)
	}

	m.SHA256 = sum
	progress("unpacking")
	if err := p.unpack(ctx, file, folder); err != nil {
		return fmt.Errorf("%s: %w", path.Base(p.Source), err)
	}
	if err := os.Remove(file); err != nil {
		return err
	}

	return executable(folder, p.Program)
}

// executable makes the program in a folder one.
func executable(folder, program string) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	info, err := root.Stat(program)
	if err != nil || !info.Mode().IsRegular() {
		return fmt.Errorf("the archive has no program %s", program)
	}
	return root.Chmod(program, 0o755)
}

// download writes what is at an address into a new file, and returns its sum.
func download(ctx context.Context, address, file string, progress func(string)) (sum string, err error) {
	resp, err := fetch(ctx, address)
	if err != nil {
		return "", err
	}

	defer resp.Body.Close()
	f, err := regular.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}

	hash := sha256.New()
	count := &counter{total: resp.ContentLength, progress: progress}
	n, err := io.Copy(io.MultiWriter(f, hash, count), io.LimitReader(resp.Body, maxDownload+1))
	if err == nil && n > maxDownload {
		err = errors.New("it is larger than 2 GiB")
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return "", fmt.Errorf("%s: %w", address, err)
	}

	return hex.EncodeToString(hash.Sum(nil)), nil
}

// counter tells how much has come.
type counter struct {
	n, total int64
	progress func(string)
	reported time.Time
}

func (c *counter) Write(data []byte) (int, error) {
	c.n += int64(len(data))
	if time.Since(c.reported) >= between {
		c.reported = time.Now()
		text := fmt.Sprintf("%.1f MB", float64(c.n)/1e6)
		if c.total > 0 {
			text += fmt.Sprintf(" of %.1f MB", float64(c.total)/1e6)
		}
		c.progress(text)
	}
	return len(data), nil
}

// suffixes of archives; a file with another name is the program itself.
func kindOf(address string) string {
	name, _, _ := strings.Cut(strings.ToLower(path.Base(address)), "?")
	for suffix, kind := range map[string]string{
		".tar.gz": "gz", ".tgz": "gz", ".tar.bz2": "bz2", ".tbz2": "bz2", ".tar": "tar", ".zip": "zip",
	} {
		if strings.HasSuffix(name, suffix) {
			return kind
		}
	}

	for _, other := range []string{".tar.xz", ".txz", ".tar.zst", ".dmg", ".pkg", ".deb", ".rpm", ".msi", ".7z"} {
		if strings.HasSuffix(name, other) {
			return other
		}
	}

	return ""
}
