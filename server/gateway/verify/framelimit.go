package verify

import (
	"fmt"
	"math"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// How many frames are too many. Honest transcoders differ in how they round a rate such as
// 30000/1001, in what they show of a damaged beginning, and in whether there is a frame at the very
// end; the bounds are for transcoders that add frames to be paid for.
const (
	// spareFrames and a quarter more are always tolerated.
	spareFrames = 8
	share       = 1.25
	// slowest is the frame rate of a source that does not tell how long it plays.
	slowest = 10
	// fastest is the frame rate of a source of which nothing can be read, and longer by
	// how much such a one may play beyond what the client named.
	fastest = 120
	longer  = 3
	// runaway is how many frames may be made of one frame of the source: the network
	// refuses a source whose clock asks for more.
	runaway = 25
)

// lasts returns the longest that the source may play.
func (s *Source) lasts() time.Duration {
	switch {
	case s.Span > 0:
		return max(s.Duration, s.Span)
	case s.Most > 0:
		return max(s.Duration, time.Duration(s.Most)*time.Second/slowest)
	}
	return longer * s.Duration
}

// frames returns how many a rendition may have at most. A fixed rate has as many as the
// source plays, whatever its own rate, and however it varies; else each frame of the
// source, of which both fields may be shown, makes one.
func (s *Source) frames(rate core.Framerate) core.Frames {
	seconds := s.lasts().Seconds()
	n := fastest * seconds
	switch {
	case !rate.Passthrough():
		num, den := rate.Norm()
		fps := float64(num) / float64(den)
		n = fps*seconds + fps/2
		if s.Most > 0 {
			n = min(n, runaway*float64(s.Most))
		}
	case s.Most > 0:
		n = float64(s.Most)
	}
	return core.Frames(min(math.Ceil(n*share)+spareFrames, math.MaxInt32))
}

// checkFrames holds a rendition, whose size is right, against what the source can
// become. The error is the fault PixelsMismatch.
func (s *Source) checkFrames(v Video, p core.Profile) error {
	most := s.frames(p.FPS)
	area := core.Pixels(v.Width+tolerance) * core.Pixels(v.Height+tolerance)
	if s.Mixed { // so may be the rendition
		side := core.Pixels(max(v.Width, v.Height, p.Width, p.Height) + tolerance)
		area = side * side
	}
	// Width and height are the smallest frame's: larger ones must not stand among them.
	if v.Frames > most || v.Pixels > core.Pixels(most)*area {
		return fault.New(fault.PixelsMismatch, "check rendition",
			fmt.Sprintf("%d frames and %d pixels, where the source makes %d frames at most", v.Frames, v.Pixels, most))
	}
	return nil
}
