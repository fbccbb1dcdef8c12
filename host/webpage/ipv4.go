package webpage

import (
	"net/netip"
	"strconv"
	"strings"
)

// numeric reports whether browsers read a host as an IPv4 address: its last part is a number.
func numeric(host string) bool {
	parts := strings.Split(strings.TrimSuffix(host, "."), ".")
	last := parts[len(parts)-1]
	_, err := number(last)
	return err == nil || last != "" && strings.Trim(last, "0123456789") == ""
}

// number reads a part of an address, which may be octal or hexadecimal.
func number(part string) (uint64, error) {
	switch {
	case part == "0x":
		return 0, nil
	case strings.HasPrefix(part, "0x"):
		return strconv.ParseUint(part[2:], 16, 64)
	case len(part) > 1 && part[0] == '0':
		return strconv.ParseUint(part, 8, 64)
	}
	return strconv.ParseUint(part, 10, 64)
}

// ipv4 returns an address in its usual form. The last of fewer than four parts stands for those that are left out.
func ipv4(host string) (string, error) {
	parts := strings.Split(strings.TrimSuffix(host, "."), ".")
	if len(parts) > 4 {
		return "", errNone
	}

	var bits uint64
	for i, part := range parts {
		n, err := number(part)
		if err != nil || part == "" {
			return "", errNone
		}
		places := 1 // bytes that the part stands for
		if i == len(parts)-1 {
			places = 5 - len(parts)
		}
		if n >= 1<<(8*places) {
			return "", errNone
		}
		bits = bits<<(8*places) | n
	}

	return netip.AddrFrom4([4]byte{byte(bits >> 24), byte(bits >> 16), byte(bits >> 8), byte(bits)}).String(), nil
}
