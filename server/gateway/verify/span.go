package verify

import (
	"bytes"
	"time"
)

const (
	clock = 90_000 // ticks of an MPEG clock in a second
	// clockWrap is where it wraps around.
	clockWrap = 1 << 33
	// usualStep is the distance of two frames where a broken clock does not tell.
	usualStep = clock / 25
	// jump is the longest step that is none, as transcoders of our own see it.
	jump = 10 * clock
	// maxSpan bounds what a file's clock may say: no segment plays for longer.
	maxSpan = 24 * time.Hour
)

// span adds up the steps of a stream's decoding times. Where the clock stands or goes
// back, as it does when sources are put together, a transcoder goes on with the usual
// step, and so does this.
type span struct {
	first, last, step uint64
	// sum has every step as it is, steady the usual one where the clock jumps: transcoders
	// of the network may fill what was jumped over, and players need not wait for it.
	sum, steady   uint64
	begun, jumped bool
}

// Several packets may hold one frame, all with its time: those do not count.
func (s *span) add(at uint64, samePicture bool) {
	if !s.begun {
		s.begun, s.first, s.last = true, at, at
		return
	}
	if at == s.last && samePicture {
		return
	}
	d := (at - s.last) % clockWrap
	s.last = at
	switch {
	case d > jump && d < clockWrap-clock:
		s.jumped = true
		s.steady += s.length()
		if d < clockWrap/2 {
			s.sum += d
			return
		}
	case d > 0 && d < clockWrap/2:
		s.step = d
		s.steady += d
	default:
		s.steady += s.length()
	}
	s.sum += s.length()
}

// length is that of the frame now shown.
func (s *span) length() uint64 {
	if s.step == 0 {
		return usualStep
	}
	return s.step
}

// duration returns the time from the first frame to the end of the last.
func (s *span) duration() time.Duration { return s.of(s.sum) }

// plays returns the same without what the clock jumped over.
func (s *span) plays() time.Duration { return s.of(s.steady) }

func (s *span) of(ticks uint64) time.Duration {
	if !s.begun {
		return 0
	}
	return seconds(float64(ticks+s.length()) / clock)
}

// Times are the decoding times of a segment's first frame and of what follows its last
// one, in ticks of 1/90000 s that wrap around at 2^33.
type Times struct {
	Begin, End uint64
	// Jumps says that the clock jumped between. A transcoder takes that out, so its
	// renditions end elsewhere than the source.
	Jumps bool
}

// times returns those of a clock, nil where there is none.
func (s *span) times() *Times {
	if !s.begun {
		return nil
	}
	return &Times{Begin: s.first, End: (s.last + s.length()) % clockWrap, Jumps: s.jumped}
}

// Follows reports whether a segment's times go on where those of the one before ended, to
// the second: players and encoders round.
func (t Times) Follows(before Times) bool {
	gap := (t.Begin - before.End) % clockWrap
	return !before.Jumps && (gap <= clock || gap >= clockWrap-clock)
}

func clockTS(data []byte) span {
	program, s := programOf(data), span{}
	if program.VideoPID == 0 {
		return s
	}
	packets := framePackets{codec: tsCodecs[program.VideoType]}
	EachPacket(data, func(p []byte) bool {
		id, start := PacketHead(p)
		switch {
		case id != program.VideoPID:
		case !start:
			packets.sliced = true // what has no slice is small
		default:
			payload := TSPayload(p)
			same := packets.next(PESPayload(payload))
			if at, ok := decodingTime(payload); ok {
				s.add(at, same)
			}
		}
		return true
	})
	return s
}

// framePackets finds out which packets of a stream begin a frame.
type framePackets struct {
	codec string
	// sliced: the frame has a slice, so that what begins one begins the next.
	sliced bool
}

// next takes the beginning of a packet and reports whether it goes on with the frame
// of the one before. That is known for H.264 and HEVC only.
func (c *framePackets) next(b []byte) (same bool) {
	if c.codec == "" {
		return false
	}
	first, slice := firstUnit(c.codec, b)
	same = !c.sliced || slice && !first
	c.sliced = same && c.sliced || anySlice(c.codec, b)
	return same
}

// firstUnit reports whether bytes begin with a slice, and whether it is a frame's first.
func firstUnit(codec string, b []byte) (first, slice bool) {
	i := bytes.Index(b, startCode)
	if i < 0 || len(b) < i+6 {
		return false, false
	}
	b = b[i+len(startCode):]
	if codec == "hevc" {
		return b[2]&0x80 != 0, b[0]>>1&0x3f < 32
	}
	kind := b[0] & 0x1f
	return b[1]&0x80 != 0, kind >= 1 && kind <= 5
}

// anySlice reports whether a slice begins anywhere in b.
func anySlice(codec string, b []byte) bool {
	for i := bytes.Index(b, startCode); i >= 0; i = bytes.Index(b, startCode) {
		if _, slice := firstUnit(codec, b[i:]); slice {
			return true
		}
		b = b[i+len(startCode):]
	}
	return false
}
