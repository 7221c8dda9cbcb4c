package protocol_test

import (
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/protocol"
)

func TestHashText(t *testing.T) {
	t.Parallel()
	text := "0x" + strings.Repeat("ab", 32)
	var h protocol.Hash
	if err := h.UnmarshalText([]byte(text)); err != nil || h.String() != text {
		t.Errorf("%s, %v", h, err)
	}
	for _, bad := range []string{"", text[2:], text + "0", "0X" + text[2:], "0x" + strings.Repeat("zz", 32)} {
		if err := h.UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func TestRoundBorders(t *testing.T) {
	t.Parallel()
	r := protocol.RoundState{Start: 1000, Length: 6377, LockLength: 637}
	if r.End() != 7377 || r.LocksAt() != 6740 {
		t.Errorf("ends at %d, locks at %d", r.End(), r.LocksAt())
	}
	// The table of the protocol: locked from the 5740th block of 6377 on.
	if r.LocksAt()-r.Start != 5740 {
		t.Errorf("locked after %d blocks", r.LocksAt()-r.Start)
	}
}
