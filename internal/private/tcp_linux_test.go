package private

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// Whose program is at the other end of a connection is known for sockets of either kind, as long as that has not closed its side
// (behaviour 1152).
func TestLoopbackPeer(t *testing.T) {
	for _, test := range []struct {
		name   string
		domain int
	}{{"IPv4", unix.AF_INET}, {"in the form of IPv6", unix.AF_INET6}} {
		t.Run(test.name, func(t *testing.T) {
			l, err := Loopback()
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			theirs, err := unix.Socket(test.domain, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
			if test.domain == unix.AF_INET6 && errors.Is(err, unix.EAFNOSUPPORT) {
				return // the system is built without it
			}
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = unix.Close(theirs) }()

			port := l.Addr().(*net.TCPAddr).Port
			var to unix.Sockaddr = &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}
			if test.domain == unix.AF_INET6 {
				to = &unix.SockaddrInet6{Port: port, Addr: [16]byte(net.IPv4(127, 0, 0, 1).To16())}
			}
			if err := unix.Connect(theirs, to); err != nil {
				t.Fatal(err)
			}

			ours, err := l.Accept()
			if err != nil {
				t.Fatal(err)
			}
			defer ours.Close()

			uid, known, err := LoopbackPeer(ours)
			if err != nil || !known || uid != os.Getuid() {
				t.Errorf("got user %d, known %t, %v", uid, known, err)
			}

			if err := unix.Shutdown(theirs, unix.SHUT_WR); err != nil {
				t.Fatal(err)
			}
			if _, err := ours.Read(make([]byte, 1)); err == nil {
				t.Fatal("its side is not closed")
			}
			if _, _, err := LoopbackPeer(ours); err == nil || !strings.Contains(err.Error(), "closed") {
				t.Errorf("after its end: %v", err)
			}
		})
	}
	ours, theirs := net.Pipe()
	defer ours.Close()
	defer theirs.Close()
	if _, known, err := LoopbackPeer(ours); known || err != nil {
		t.Errorf("of a pipe: known %t, %v", known, err)
	}
}

// The tables of the system are read as they are written, in the order of its bytes (behaviour 1152).
func TestOwner(t *testing.T) {
	const head = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
	line := func(local, remote, state, uid string) string {
		return "   0: " + local + " " + remote + " " + state + " 00000000:00000000 00:00000000 00000000  " + uid + "        0 1 1 0 20\n"
	}
	native := func(words string) string { // from how machines with the lowest byte first write them
		address, port, _ := strings.Cut(words, ":")
		var b strings.Builder
		for ; address != ""; address = address[8:] {
			var word [4]byte
			if _, err := hex.Decode(word[:], []byte(address[:8])); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "%08X", binary.NativeEndian.Uint32(binary.LittleEndian.AppendUint32(nil, binary.BigEndian.Uint32(word[:]))))
		}
		return b.String() + ":" + port
	}
	v4, v4b := native("0100007F:1F90"), native("0100007F:0050")
	v6, v6b := native("0000000000000000FFFF00000100007F:1F90"), native("0000000000000000FFFF00000100007F:0050")
	local, remote := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080}, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80}
	for _, test := range []struct {
		name, table string
		uid         int
		ok          bool
	}{
		{"IPv4", head + line(v4b, v4, "01", "7") + line(v4, v4b, "01", "1000"), 1000, true},
		{"IPv6", head + line(v6, v6b, "01", "1000"), 1000, true},
		{"another one of IPv6", head + line(native("B80D012000000000000000000100007F:1F90"), v6b, "01", "1000"), 0, false},
		{"the other side only", head + line(v4b, v4, "01", "7"), 0, false},
		{"one that waits for its end", head + line(v4, v4b, "06", "0"), 0, false},
		{"of another connection", head + line(v4, native("0100007F:0051"), "01", "7") + line(v4, v4b, "01", "1000"), 1000, true},
		{"no number", head + line(v4, v4b, "01", "x"), 0, false},
		{"half a line", head + "   0: " + v4 + " " + v4b + " 01", 0, false},
	} {
		if uid, ok := owner(test.table, local, remote); uid != test.uid || ok != test.ok {
			t.Errorf("%s: got %d, %t", test.name, uid, ok)
		}
	}
}
