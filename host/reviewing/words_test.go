package reviewing

import "testing"

// What the agent and the user read of a revert is what it has changed, not what the agent had (behaviour 1412).
func TestTurned(t *testing.T) {
	const diff = "@@ -1,4 +1,5 @@\n one\n-two\n+TWO\n+more\n three\n@@ -9,2 +10,1 @@\n nine\n-ten\n"
	const want = "@@ -1,5 +1,4 @@\n one\n-TWO\n-more\n+two\n three\n@@ -10,1 +9,2 @@\n nine\n+ten\n"
	if got := turned(diff); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := turned(want); got != diff {
		t.Errorf("turned twice: got\n%s\nwant\n%s", got, diff)
	}
}
