package mediafile

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

// timedPackets packs times in seconds as the packets of tracks, in the order of the file.
func timedPackets(times ...timedPacket) (data []byte) {
	for _, at := range times {
		p := bytes.Repeat([]byte{0xff}, packetSize)
		copy(p, []byte{syncByte, 0x40, byte(at.pid), 0x10, 0, 0, 1, at.kind, 0, 0, 0x80, 0x80, 5, 0x21, 0, 1, 0, 1})
		shift(p[13:], int64(at.seconds*clockRate))
		data = append(data, p...)
	}
	return data
}

type timedPacket struct {
	pid     int
	kind    byte
	seconds float64
}

// A pause of one track stays, and a jump is mended whatever tags and subtitles, which are
// rare, do not show of it.
func TestJumpsAndPauses(t *testing.T) {
	picture := func(at float64) timedPacket { return timedPacket{1, 0xe0, at} }
	sound := func(at float64) timedPacket { return timedPacket{2, 0xc0, at} }
	tag := func(at float64) timedPacket { return timedPacket{3, 0xbd, at} }
	tests := []struct {
		name   string
		source []timedPacket
		jumps  bool
	}{
		{"frames pause", []timedPacket{picture(1), sound(1), sound(5), sound(9), sound(14), picture(14)}, false},
		{"sound pauses to the end", []timedPacket{sound(1), picture(1), picture(4), picture(8), picture(11), sound(12)},
			false},
		{"subtitles pause", []timedPacket{tag(1), picture(1), picture(8), picture(14), tag(15)}, false},
		{"a tag of no clock", []timedPacket{tag(0), picture(3600), tag(3600), sound(3600), picture(3601)}, false},
		{"all jump", []timedPacket{picture(1), sound(1), picture(3601), sound(3601)}, true},
		{"tags before the jump", []timedPacket{tag(1), picture(1), sound(1), tag(1.5), picture(3601), sound(3601)}, true},
		{"tags after the jump", []timedPacket{picture(1), sound(1), picture(3601), tag(3601), sound(3601), tag(3602)}, true},
		{"tags across it", []timedPacket{tag(1), picture(1), sound(1), picture(3601), tag(3601), sound(3601)}, true},
		{"tags across there and back", []timedPacket{tag(1), picture(1), picture(3601), sound(3601), picture(1.5),
			tag(1.6)}, true},
		{"over the clock's end", []timedPacket{tag(95440), picture(95442), tag(95441), picture(2000)}, true},
	}
	for _, tt := range tests {
		data := timedPackets(tt.source...)
		out := ClockJumps(data)
		if !tt.jumps {
			if !bytes.Equal(out, data) {
				t.Errorf("%s: was changed", tt.name)
			}
			continue
		}
		first := int64(tt.source[0].seconds * clockRate)
		eachTime(out, func(pid, _ int, at int64, _ bool) {
			if d := signed(at - first); d < -2*clockRate || d > 5*clockRate {
				t.Errorf("%s: track %d has a time %d s after the first", tt.name, pid, d/clockRate)
			}
		})
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
			if l, known := last[pid]; known && signed(at-l) <= 2*maxBack {
				t.Fatalf("track %d goes from %d back to %d", pid, l, at)
			}
			last[pid] = at
		})
	})
}
