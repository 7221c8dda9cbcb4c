package node

import (
	"net/netip"
	"slices"
	"testing"
)

// TestRepeatedLines: a table that was read while sockets came and went has lines twice.
func TestRepeatedLines(t *testing.T) {
	t.Parallel()
	ours, theirs := netip.MustParseAddrPort("127.0.0.1:40000"), netip.MustParseAddrPort("127.0.0.1:7935")
	accepted := socket{local: theirs, remote: ours, state: "01", inode: "7", user: 1000}
	listening := socket{local: theirs, state: listens, inode: "6", user: 1000}
	if got := usersOf([]socket{accepted, accepted, listening, listening}, ours, theirs); !slices.Equal(got, []int{1000}) {
		t.Error(got)
	}
	accepted.user = 1001
	if got := usersOf([]socket{accepted, listening, accepted}, ours, theirs); !slices.Equal(got, []int{1000, 1001}) {
		t.Error(got)
	}
}
