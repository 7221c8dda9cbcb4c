package whipclient

import (
	"slices"
	"testing"

	"github.com/pion/rtp"
)

// Packets come out in order and once, also over the end of their numbers.
func TestPacketsAreOrdered(t *testing.T) {
	t.Parallel()
	var q queue
	var got []uint16
	for _, n := range []uint16{65534, 0, 65535, 65535, 2, 65534, 3, 1, 4} {
		ready, gap := q.push(&rtp.Packet{Header: rtp.Header{SequenceNumber: n}})
		if gap {
			t.Error("a gap at", n)
		}
		for _, p := range ready {
			got = append(got, p.SequenceNumber)
		}
	}
	if want := []uint16{65534, 65535, 0, 1, 2, 3, 4}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// A packet that never comes is given up in the end, and what follows is delivered.
func TestALostPacketIsGivenUp(t *testing.T) {
	t.Parallel()
	var q queue
	q.push(&rtp.Packet{Header: rtp.Header{SequenceNumber: 7}})
	delivered, gaps := 0, 0
	for n := range maxWaiting + 1 {
		ready, gap := q.push(&rtp.Packet{Header: rtp.Header{SequenceNumber: uint16(9 + n)}})
		delivered += len(ready)
		if gap {
			gaps++
		}
	}
	if delivered != maxWaiting+1 || gaps != 1 {
		t.Errorf("%d packets, %d gaps", delivered, gaps)
	}
}
