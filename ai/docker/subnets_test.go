package docker_test

import (
	"net/netip"
	"testing"

	"github.com/tuttinode/tutti/ai/docker"
)

func TestPartsOfABlock(t *testing.T) {
	t.Parallel()
	for all, want := range map[string][]string{
		"10.0.0.8/28":        {"10.0.0.0/29", "10.0.0.8/29"},
		"10.0.0.0/29":        {"10.0.0.0/29"},
		"10.0.0.4/30":        {"10.0.0.4/30"},
		"255.255.255.240/28": {"255.255.255.240/29", "255.255.255.248/29"},
		"255.255.255.255/32": {"255.255.255.255/32"},
	} {
		var b docker.Block
		b.Begin(netip.MustParsePrefix(all))
		for _, w := range want {
			subnet, ok := b.Take()
			if !ok || subnet.String() != w {
				t.Errorf("%s: %v, want %s", all, subnet, w)
			}
		}
		if subnet, ok := b.Take(); ok {
			t.Errorf("%s: %v beyond its end", all, subnet)
		}
		b.Hold(netip.MustParsePrefix(want[0]), "network")
		b.Free("")
		b.Free("another")
		if subnet, ok := b.Take(); ok {
			t.Errorf("%s: %v is in use", all, subnet)
		}
		b.Free("network")
		if subnet, ok := b.Take(); !ok || subnet.String() != want[0] {
			t.Errorf("%s: %v, want %s again", all, subnet, want[0])
		}
	}
}
