package guard

import (
	"os"
	"os/exec"
	"slices"
	"testing"
)

// Processes are found by their mark alone or with what follows it after a slash, in that variable, and by no other.
func TestMarked(t *testing.T) {
	start := func(env string) int {
		cmd := exec.Command("cat") // until in is closed
		cmd.Env = append(os.Environ(), env)
		in, err := cmd.StdinPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = in.Close()
			_ = cmd.Wait()
		})
		return cmd.Process.Pid
	}
	const mark = "0d5e2f0c-marked"
	want := []int{start("MARKED=" + mark), start("MARKED=" + mark + "/s1"), start("MARKED=" + mark + "/")}
	for _, env := range []string{"MARKED=" + mark + "2", "MARKED=x/" + mark, "MARKED=" + mark[1:], "MARKED2=" + mark, "OTHER=MARKED=" + mark, "marked=" + mark} {
		start(env)
	}
	got := having("MARKED", mark)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := having("MARKED", ""); len(got) > 0 {
		t.Errorf("without a mark: %v", got)
	}
	t.Setenv("MARKED", mark)
	if slices.Contains(having("MARKED", mark), os.Getpid()) {
		t.Error("this process is one of them")
	}
}
