package tests

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// all returns the processes of a story: those that have its mark in their environment, or in what they are to set of that in a
// sandbox. Zombies have no environment.
func (s *story) all() ([]int, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	_, value, _ := strings.Cut(s.mark, "=")
	var pids []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		env, err := os.ReadFile("/proc/" + e.Name() + "/environ")
		if err != nil {
			continue // gone meanwhile
		}
		for v := range bytes.SplitSeq(env, []byte{0}) {
			if string(v) == s.mark || bytes.HasPrefix(v, []byte("NVIM_ACP_GIVEN=")) && bytes.Contains(v, []byte(value)) {
				pids = append(pids, pid)
				break
			}
		}
	}
	return pids, nil
}

// find returns the story's processes of a role: nvim, host (the program without arguments), agent, guard.
func (s *story) find(role string) ([]int, error) {
	pids, err := s.all()
	if err != nil {
		return nil, err
	}
	var found []int
	for _, pid := range pids {
		line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
		if err != nil {
			continue
		}
		args := strings.Split(strings.TrimRight(string(line), "\x00"), "\x00")
		is := filepath.Base(args[0]) // of commands and their children: that of their shell
		if is == "nvim-acp" {
			is = "host"
			if len(args) > 1 {
				is = args[1]
			}
		}
		if is == role {
			found = append(found, pid)
		}
	}
	return found, nil
}
