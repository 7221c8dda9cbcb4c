package verify_test

import (
	"bytes"
	"encoding/binary"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/server/gateway/verify"
)

// slicedTS writes a transport stream again with each unit of its video in a packetized
// packet of its own, under the header of the frame that it belongs to.
func slicedTS(data []byte) (out []byte) {
	const video = 0x100
	var header, picture []byte
	counter := byte(0)
	flush := func() {
		for i, unit := range bytes.Split(picture, []byte{0, 0, 1}) {
			if i == 0 || len(unit) == 0 {
				continue
			}
			pes := append(append(bytes.Clone(header), 0, 0, 1), bytes.TrimRight(unit, "\x00")...)
			for start := byte(0x40); len(pes) > 0; start = 0 {
				p, space := []byte{0x47, start | video>>8, video & 0xff, 0x10 | counter&15}, verify.PacketSize-4
				if n := space - len(pes); n > 0 {
					p[3] |= 0x20
					p = append(p, byte(n-1))
					if n > 1 {
						p = append(append(p, 0), bytes.Repeat([]byte{0xff}, n-2)...)
					}
					space -= n
				}
				out, pes = append(append(out, p...), pes[:space]...), pes[space:]
				counter++
			}
		}
		picture = nil
	}
	verify.EachPacket(data, func(p []byte) bool {
		pid, start := verify.PacketHead(p)
		payload := verify.TSPayload(p)
		switch {
		case pid != video:
			out = append(out, p...)
			return true
		case start:
			flush()
			n := 9 + int(payload[8])
			header, payload = bytes.Clone(payload[:n]), payload[n:]
			binary.BigEndian.PutUint16(header[4:], 0)
		}
		picture = append(picture, payload...)
		return true
	})
	flush()
	return out
}

// TestSlicesOfOnePicture: where each slice of a frame has a packet with the frame's time,
// the segment plays for as long as its frames do.
func TestSlicesOfOnePicture(t *testing.T) {
	t.Parallel()
	const three = "-f lavfi -i testsrc2=size=320x180:rate=30:duration=3 "
	whole := clip(t, three+x264+"-x264-params slices=4", "ts")
	for of, data := range map[string][]byte{"pictures": whole, "slices": slicedTS(whole)} {
		s := verify.ReadSource(data, core.MaxSegmentDuration)
		if got := s.Length(); s.Pictures != 90 || got < 2900*time.Millisecond || got > 3100*time.Millisecond {
			t.Errorf("packets of %s: %v, %d frames", of, got, s.Pictures)
		}
		if got := verify.Plays(data); got < 2900*time.Millisecond || got > 3100*time.Millisecond {
			t.Errorf("packets of %s: plays for %v", of, got)
		}
	}
}

// TestAClockThatStands: frames that all have one time play for the usual step each.
func TestAClockThatStands(t *testing.T) {
	t.Parallel()
	data := clip(t, "-f lavfi -i testsrc2=size=320x180:rate=30:duration=3 "+x264+"-bf 0", "ts")
	var first []byte
	verify.EachPacket(data, func(p []byte) bool {
		if pid, start := verify.PacketHead(p); start && pid == 0x100 {
			times := verify.TSPayload(p)[9:]
			times = times[:int(verify.TSPayload(p)[8])]
			if first == nil {
				first = bytes.Clone(times)
			}
			copy(times, first)
		}
		return true
	})
	if got := verify.Plays(data); got != 90*40*time.Millisecond {
		t.Errorf("90 frames at one time: %v", got)
	}
}

// TestUnknownLength: a movie whose header says that its length is not known, or says what is
// wrong, plays as long as its samples do.
func TestUnknownLength(t *testing.T) {
	t.Parallel()
	whole := clip(t, "-f lavfi -i testsrc2=size=320x180:rate=30:duration=3 "+medium, "mp4")
	at := bytes.Index(whole, []byte("mdhd"))
	if at < 0 || whole[at+4] != 0 {
		t.Fatal("no media header")
	}
	for _, says := range []string{"\xff\xff\xff\xff", "\x00\x00\x00\x01", "\x00\xff\xff\xff"} {
		unknown := bytes.Clone(whole)
		copy(unknown[at+4+16:], says)
		for _, announced := range []time.Duration{time.Millisecond, core.MaxSegmentDuration} {
			s := verify.ReadSource(unknown, announced)
			if got := s.Length(); got < 2900*time.Millisecond || got > 3100*time.Millisecond {
				t.Errorf("%x, announced as %v: %v of %+v", says, announced, got, s)
			}
		}
		if got := verify.Plays(unknown); got > core.MaxSegmentDuration {
			t.Errorf("%x: it plays for %v", says, got)
		}
	}
}

// TestTimesOfNoSamples: a movie's table of times names more samples than the movie has, or steps back,
// which older cameras write as times that are nearly 2^32. Transcoders take neither for playing time.
func TestTimesOfNoSamples(t *testing.T) {
	t.Parallel()
	// One frame lasts twice as long, so that the table has four entries: the first 44, this one, the next, the last.
	whole := clip(t, "-f lavfi -i testsrc2=size=320x180:rate=30:duration=3 "+
		"-vf setpts='if(lt(N,45),N,N+1)/30/TB' -fps_mode vfr "+x264+"-bf 0", "mp4")
	at := bytes.Index(whole, []byte("stts\x00\x00\x00\x00\x00\x00\x00\x04"))
	if at < 0 {
		t.Fatal("no table of four times")
	}
	for name, change := range map[string]struct {
		at   int
		says string
	}{
		"more than there are": {at + 12 + 3*8, "\x00\x0a\x00\x00\x00\x00\x02\x00"},
		"a step back":         {at + 12 + 8 + 4, "\xff\xff\xff\x00"},
	} {
		data := bytes.Clone(whole)
		copy(data[change.at:], change.says)
		s := verify.ReadSource(data, core.MaxSegmentDuration)
		if got := s.Length(); got < 2900*time.Millisecond || got > 3100*time.Millisecond {
			t.Errorf("%s: %v of %+v", name, got, s)
		}
	}
}
