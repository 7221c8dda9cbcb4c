package admission

import (
	"fmt"
	"net/netip"
	"testing"
)

// TestShares: addresses that take as much as they can leave its share to one that wants
// little.
func TestShares(t *testing.T) {
	t.Parallel()
	const free, most = 128, 240
	at := func(n int) netip.Prefix { return netip.MustParsePrefix(fmt.Sprintf("192.0.2.%d/32", n)) }
	s := NewShares(free, most)
	open := make(map[int]int)
	for range most {
		for n := range 20 {
			if s.Enter(at(n)) {
				open[n]++
			}
		}
	}
	if s.open > most {
		t.Errorf("%d are open", s.open)
	}
	for range free / 21 {
		if !s.Enter(at(100)) {
			t.Fatal("an address with less than its share was refused")
		}
		open[100]++
	}
	for n, count := range open {
		for range count {
			s.Leave(at(n))
		}
	}
	if s.open != 0 || len(s.byPeer) != 0 {
		t.Errorf("%d of %d addresses are left", s.open, len(s.byPeer))
	}
	for range free {
		if !s.Enter(at(1)) {
			t.Fatal("one address alone was refused")
		}
	}
	if s.Enter(at(1)) {
		t.Error("one address has more than the part for all")
	}
}
