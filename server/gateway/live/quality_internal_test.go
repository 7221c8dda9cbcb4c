package live

import (
	"testing"
	"time"

	"github.com/pion/rtp"
)

// Lost packets are counted by sequence numbers: over the wrap-around, and not for those that come late.
func TestQuality(t *testing.T) {
	t.Parallel()
	at := time.Unix(0, 0)
	q := (&measuring{}).track("video", 90000, at)
	number := uint16(65530)
	push := func(step int, after time.Duration) {
		number += uint16(step)
		at = at.Add(after)
		q.add(&rtp.Packet{Header: rtp.Header{SequenceNumber: number, Timestamp: uint32(at.UnixMilli()) * 90}}, at)
	}
	for range 20 {
		push(1, 20*time.Millisecond)
	}
	if s := q.stats(0); s.Received != 20 || s.Lost != 0 || s.Jitter > 1e-9 {
		t.Errorf("a perfect track: %+v", s)
	}
	push(5, 20*time.Millisecond) // four are missing
	push(-2, 0)                  // one of them comes late
	if s := q.stats(3); s.Received != 22 || s.Lost != 3 || s.LostPct != 12 || s.RTT != 3 {
		t.Errorf("with losses: %+v", s)
	}
	push(20000, 20*time.Millisecond) // the source begins again
	push(1, 20*time.Millisecond)
	if s := q.stats(0); s.Lost != 3 {
		t.Errorf("after a jump: %+v", s)
	}
	for i := range 50 {
		at = at.Add(time.Duration(10+20*(i%2)) * time.Millisecond)
		number++
		q.add(&rtp.Packet{Header: rtp.Header{SequenceNumber: number, Timestamp: uint32(at.UnixMilli()/20) * 1800}}, at)
	}
	if s := q.stats(0); s.Jitter < 0.001 || s.Jitter > 0.1 {
		t.Errorf("an uneven track: %+v", s)
	}
}

// The share of a stream fills up with time, and single events are bounded.
func TestShareOfEvents(t *testing.T) {
	t.Parallel()
	at := time.Unix(1000, 0)
	var r reporter
	n := 0
	for r.allow(7<<10, at) {
		n++
	}
	if n != reportBurst/(8<<10) {
		t.Errorf("%d events at once", n)
	}
	if !r.allow(7<<10, at.Add(time.Second)) || r.allow(maxReport+1, at.Add(time.Hour)) || r.dropped != 2 {
		t.Errorf("after a second: %d dropped", r.dropped)
	}
}
