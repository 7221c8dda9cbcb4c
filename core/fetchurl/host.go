package fetchurl

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// literal returns the address that a host stands for by itself, in any of the forms that
// programs read: 127.0.0.1, 127.1, 2130706433, 0x7f.0.0.1, 017700000001, ::1.
func literal(host string) (netip.Addr, bool) {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip, true
	}
	parts := strings.Split(host, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var ip uint64
	for i, p := range parts {
		n, ok := part(p)
		// The last part stands for all bytes that are left.
		bits := 8
		if i == len(parts)-1 {
			bits = 8 * (5 - len(parts))
		}
		if !ok || n >= 1<<bits {
			return netip.Addr{}, false
		}
		ip = ip<<bits | n
	}
	return netip.AddrFrom4([4]byte{byte(ip >> 24), byte(ip >> 16), byte(ip >> 8), byte(ip)}), true
}

// part reads a part of an IPv4 address as C libraries do: 10, 0x0a or 012.
func part(text string) (uint64, bool) {
	base := 10
	switch {
	case strings.HasPrefix(text, "0x"):
		text, base = text[2:], 16
		if text == "" {
			return 0, true
		}
	case len(text) > 1 && text[0] == '0':
		text, base = text[1:], 8
	}
	n, err := strconv.ParseUint(text, base, 64)
	return n, err == nil
}

// localSuffixes are suffixes that do not exist in public DNS. Read-only.
var localSuffixes = []string{
	"localhost", "localdomain", "local", "internal", "intranet", "private", "corp", "lan", "home", "home.arpa",
	"test", "invalid", "example", "onion", "cluster.local",
}

// notPublicReason returns why host is not a public DNS name, or "". It does not resolve the
// name.
func notPublicReason(host string) string {
	labels := strings.Split(host, ".")
	if len(host) > 253 || slices.ContainsFunc(labels, badLabel) {
		return "is no host"
	}
	last := labels[len(labels)-1]
	if last[0] >= '0' && last[0] <= '9' {
		return "is no address that can be read"
	}
	if len(labels) == 1 {
		return "is a name of the local network"
	}
	for _, suffix := range localSuffixes {
		if strings.HasSuffix(host, "."+suffix) {
			return "is a name of the local network"
		}
	}
	return ""
}

func badLabel(label string) bool {
	return label == "" || len(label) > 63 || strings.ContainsFunc(label, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '_')
	})
}
