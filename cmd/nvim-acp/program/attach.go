package program

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nvim-acp/nvim-acp/internal/caught"
	"github.com/nvim-acp/nvim-acp/internal/private"
)

// maxFlush is how long what a Neovim has said last may take to get to a host, once that Neovim has gone.
const maxFlush = time.Second

// join is what a Neovim starts to be attached to a host: it copies between stdin and stdout and the socket of the host, once it
// is known that both are the user's. Neovim itself cannot tell who listens, and executes what it is asked on such a channel.
func join(args []string) error {
	if len(args) != 1 {
		return errors.New("attach takes the path of a host's socket; in Neovim it is :AcpAttach")
	}

	ignored := make(chan os.Signal, 1) // Neovim ends it with the end of stdin and SIGTERM together: the first is enough
	signal.Notify(ignored, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
	conn, _, err := private.Dial(args[0], time.Second)
	if err != nil {
		return err
	}

	defer conn.Close()

	over := make(chan error, 3)
	caught.Go(func() { // ends with stdin
		if _, err := io.Copy(conn, os.Stdin); err != nil {
			over <- err
		}
		_ = conn.CloseWrite() // the host hears that the Neovim has gone, and ends the connection
	})
	caught.Go(func() { // ends with the Neovim, also while a host that hangs reads nothing of what it has said
		for {
			ends := []unix.PollFd{{Fd: 0}}
			_, err := unix.Poll(ends, -1)
			if !errors.Is(err, syscall.EINTR) && (err != nil || ends[0].Revents != 0) {
				break
			}
		}
		time.Sleep(maxFlush)
		over <- nil
	})
	caught.Go(func() { // ends with the host
		_, err := io.Copy(os.Stdout, conn)
		over <- err
	})
	return <-over
}
