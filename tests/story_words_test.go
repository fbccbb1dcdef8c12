package tests

import (
	"regexp"
	"strconv"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
)

func (s *story) sees(_ *testscript.TestScript, args []string) error {
	text, err := regexp.Compile(args[0])
	if err != nil {
		return err
	}
	return s.editor.poll(func() (bool, error) { return text.MatchString(s.editor.screen.text()), nil })
}

func (s *story) to(_ *testscript.TestScript, args []string) error {
	n, err := strconv.Atoi(args[0])
	if err == nil {
		s.editor = s.editors[n-1]
	}
	return err
}

// killDetached ends what a story has left behind on purpose, or by failing.
func (s *story) killDetached() {
	pids, _ := s.find("host") // without /proc there are none to be found
	for _, pid := range pids {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}
