package tsfix

import (
	"bytes"
	"testing"
)

// A good segment is not even copied.
func TestNoClockJumps(t *testing.T) {
	data := read(t, "testdata/good.ts")
	if out := ClockJumps(data); &out[0] != &data[0] {
		t.Error("a segment whose clock goes on was changed")
	}
}

func FuzzClockJumps(f *testing.F) {
	good := read(f, "testdata/good.ts")[:40*packetSize]
	f.Add(good)
	f.Add(append(bytes.Clone(good), good...))
	f.Add([]byte{syncByte})
	f.Fuzz(func(t *testing.T, data []byte) {
		before := bytes.Clone(data)
		out := ClockJumps(data)
		if !bytes.Equal(data, before) {
			t.Fatal("the input was changed")
		}
		if len(out) != len(data) {
			t.Fatalf("%d bytes from %d", len(out), len(data))
		}
		// Nothing but times is changed, and no clock goes back any more.
		last := map[int]int64{}
		eachTime(out, func(pid, _ int, at int64, _ bool) {
			if l, known := last[pid]; known && signed(at-l) <= 2*back {
				t.Fatalf("track %d goes from %d back to %d", pid, l, at)
			}
			last[pid] = at
		})
	})
}
