package verify

import (
	"time"

	"github.com/tuttinode/tutti/server/gateway/verify/container"
)

const (
	clock = 90_000 // ticks of an MPEG clock in a second
	// clockWrap is where it begins anew.
	clockWrap = 1 << 33
	// usualStep is the distance of two pictures where a broken clock does not tell.
	usualStep = clock / 25
	// maxSpan bounds what a file's clock may say: no segment plays for longer.
	maxSpan = 24 * time.Hour
)

// span adds up the steps of a stream's decoding times. Where the clock stands or goes
// back, as it does when sources are put together, a transcoder goes on with the usual
// step, and so does this.
type span struct {
	first, last, step, sum uint64
	begun                  bool
	// longest is the longest step that is not taken for a jump of the clock, 0 for any.
	longest uint64
}

func (s *span) add(at uint64) {
	if !s.begun {
		s.begun, s.first, s.last = true, at, at
		return
	}
	if d := (at - s.last) % clockWrap; d > 0 && d < clockWrap/2 && (s.longest == 0 || d <= s.longest) {
		s.step = d
	}
	s.last = at
	s.sum += s.length()
}

// length is that of the picture now shown.
func (s *span) length() uint64 {
	if s.step == 0 {
		return usualStep
	}
	return s.step
}

func (s *span) duration() time.Duration {
	if !s.begun {
		return 0
	}
	return seconds(float64(s.sum+s.length()) / clock)
}

// spanTS is how long a transport stream's video plays, 0 when it has no times. A step
// over longest is a jump of the clock, where that is not 0.
func spanTS(data []byte, longest uint64) time.Duration {
	s := clockTS(data, longest)
	return s.duration()
}

// Times are the decoding times of a segment's first picture and of what follows its last
// one, in ticks of 1/90000 s that begin anew after 2^33.
type Times struct{ Begin, End uint64 }

// times are those of a clock, nil where there is none.
func (s *span) times() *Times {
	if !s.begun {
		return nil
	}
	return &Times{Begin: s.first, End: (s.last + s.length()) % clockWrap}
}

// Follows reports whether a segment's times go on where those of the one before ended, to
// the second: players and encoders round.
func (t Times) Follows(before Times) bool {
	gap := (t.Begin - before.End) % clockWrap
	return gap <= clock || gap >= clockWrap-clock
}

func clockTS(data []byte, longest uint64) span {
	pid, s := programOf(data).VideoPID, span{longest: longest}
	container.EachPacket(data, func(p []byte) bool {
		if id, start := container.PacketHead(p); start && id == pid && pid != 0 {
			if at, ok := container.DecodingTime(container.Payload(p)); ok {
				s.add(at)
			}
		}
		return true
	})
	return s
}
