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
			part, ok := b.Take()
			if !ok || part.String() != w {
				t.Errorf("%s: %v, want %s", all, part, w)
			}
		}
		if part, ok := b.Take(); ok {
			t.Errorf("%s: %v beyond its end", all, part)
		}
		b.Hold(netip.MustParsePrefix(want[0]), "network")
		b.Free("")
		b.Free("another")
		if part, ok := b.Take(); ok {
			t.Errorf("%s: %v is in use", all, part)
		}
		b.Free("network")
		if part, ok := b.Take(); !ok || part.String() != want[0] {
			t.Errorf("%s: %v, want %s again", all, part, want[0])
		}
	}
}
