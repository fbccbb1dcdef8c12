package private

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
)

// established is the state of an open connection in the system's tables.
const established = "01"

// peerTries is how often the tables are read: one that changes meanwhile may leave a line out.
const peerTries = 3

// LoopbackPeer returns the user whose program is at the other end of a connection, as the system's tables have it; known is false if there
// are no tables. It is an error if the other end has closed its side.
func LoopbackPeer(conn net.Conn) (uid int, known bool, err error) {
	here, isTCP := conn.LocalAddr().(*net.TCPAddr)
	there, _ := conn.RemoteAddr().(*net.TCPAddr)
	if !isTCP || there == nil {
		return 0, false, nil
	}

	for range peerTries {
		for _, file := range []string{"/proc/net/tcp", "/proc/net/tcp6"} { // a program may have a socket of either kind
			table, err := os.ReadFile(file)
			if errors.Is(err, os.ErrNotExist) && file == "/proc/net/tcp6" {
				continue
			}
			if err != nil {
				return 0, false, nil // there are none to read
			}
			if uid, ok := owner(string(table), there, here); ok {
				return uid, true, nil
			}
		}
	}

	return 0, true, fmt.Errorf("%s has closed its end", there)
}

// owner returns the user of a socket in a table.
func owner(table string, local, remote *net.TCPAddr) (uid int, ok bool) {
	for line := range strings.Lines(table) {
		f := strings.Fields(line) // number, local address, remote one, state, queues, timer, retransmissions, user
		if len(f) < 8 || f[3] != established || !same(f[1], local) || !same(f[2], remote) {
			continue
		}
		uid, err := strconv.Atoi(f[7])
		return uid, err == nil
	}
	return 0, false
}

// same reports whether a table's word for an address is that of an address of IPv4, also in the form of IPv6.
func same(word string, a *net.TCPAddr) bool {
	var long string
	for ip := a.IP.To16(); len(ip) >= 4; ip = ip[4:] {
		long += fmt.Sprintf("%08X", binary.NativeEndian.Uint32(ip))
	}
	port := fmt.Sprintf(":%04X", a.Port)
	return word == long+port || len(long) == 32 && word == long[24:]+port
}
