package private

import "net"

// Loopback listens on 127.0.0.1, at a port of the system's choice. Other users of this machine reach it: whoever connects has to say a
// secret, and [LoopbackPeer] says whose program it is.
func Loopback() (*net.TCPListener, error) {
	return net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
}
