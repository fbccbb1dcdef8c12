package buffers

import "testing"

// What an agent has seen by a name is what it has seen of the file that the name leads to, unless it has seen that one since; the name of
// another session does not count, and a session that is forgotten has none.
func TestNamedSeen(t *testing.T) {
	var s Store
	set := func(session, path, text string) { _ = s.SetAgentOnDisk(session, path, text) } // the store is open
	check := func(when, session, path, want string) {
		t.Helper()
		if got, ok := s.Agent(session, path); got != want || ok != (want != "") {
			t.Errorf("%s: %s has seen %q (%v) of %s, want %q", when, session, got, ok, path, want)
		}
	}

	s.Named("s", "/link", "/one")
	set("s", "/one", "1")
	s.Named("s", "/link", "/two")
	check("a link was set anew", "s", "/two", "1")
	set("s", "/two", "2")
	s.Named("s", "/link", "/one")
	check("and back", "s", "/one", "2")

	set("s", "/two", "2b")
	set("s", "/one", "1b")
	s.Named("s", "/link", "/two")
	s.Named("s", "/link", "/one")
	check("seen by its own path since", "s", "/one", "1b")

	set("s", "/file", "f")
	s.Named("s", "/./file", "/elsewhere")
	check("a link in place of a file", "s", "/elsewhere", "f")
	set("s", "/elsewhere", "e")
	s.Named("s", "/file", "/file")
	check("a file in place of a link", "s", "/file", "e")
	if len(s.names) != 1 {
		t.Errorf("%v are kept: a path that is no link needs none", s.names)
	}

	s.Named("other", "/link", "/two")
	check("another session", "other", "/two", "")
	s.Forget("s")
	set("s", "/one", "1c")
	s.Named("s", "/link", "/three")
	check("forgotten", "s", "/three", "")
	if _ = s.Close(); len(s.blobs) != 0 {
		t.Errorf("%d texts are kept by a closed store", len(s.blobs))
	}
}

// Texts that two files share are freed when nobody has them any more.
func TestNamedSharesTexts(t *testing.T) {
	var s Store
	_ = s.SetAgent("s", "/one", "text") // the store is open
	s.Named("s", "/link", "/one")
	s.Named("s", "/link", "/two")
	s.ForgetAgent("s", "/one")
	if got, ok := s.Agent("s", "/two"); got != "text" || !ok {
		t.Errorf("got %q, %v", got, ok)
	}
	s.Forget("s")
	if len(s.blobs) != 0 || s.memory != 0 {
		t.Errorf("%d texts of %d bytes are left", len(s.blobs), s.memory)
	}
}
