package verify

import (
	"encoding/binary"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/server/gateway/verify/container"
)

// Source is what a segment itself says of how many frames its renditions may have.
type Source struct {
	// Duration is the playing time that the client named. Clients name none, or a wrong
	// one, so it never counts alone where the file can be read.
	Duration time.Duration
	// Most is the largest number of pictures that a decoder may make of the file, with
	// both fields of what may be interlaced; 0 when the file cannot be read.
	Most core.Frames
	// Span is how long the file's own clock says that it plays, 0 when that is not told.
	Span time.Duration
	// Mixed says that its pictures are not all of one size.
	Mixed bool
}

// ReadSource looks at a segment. What cannot be read stays unknown.
func ReadSource(data []byte, duration time.Duration) Source {
	s := Source{Duration: duration}
	v, err := Count(data)
	if err != nil || v.Most == 0 {
		return s
	}
	s.Most, s.Mixed = v.Most, v.Pixels != core.Pixels(v.Frames)*core.Pixels(v.Width)*core.Pixels(v.Height)
	if container.IsTS(data) {
		s.Span = spanTS(data, 0)
	} else {
		s.Span = spanMP4(data)
	}
	return s
}

// Plays is for how long a file's video is certain to play, 0 when that is unknown.
// Only headers are read. Where the clock of a transport stream jumps, it counts the
// usual step.
func Plays(data []byte) time.Duration {
	const longest = 30 * clock
	switch {
	case container.IsTS(data):
		return spanTS(data, longest)
	case container.IsMP4(data):
		return spanMP4(data)
	}
	return 0
}

// spanMP4 is the video track's duration, 0 for a file in fragments, which does not
// tell it in one place.
func spanMP4(data []byte) time.Duration {
	if container.Child(data, "moof") != nil {
		return 0
	}
	return findTrack(container.Child(data, "moov")).length
}

// trackLength reads a media header.
func trackLength(mdhd []byte) time.Duration {
	if len(mdhd) < 24 {
		return 0
	}
	scale, ticks := uint64(binary.BigEndian.Uint32(mdhd[12:])), uint64(binary.BigEndian.Uint32(mdhd[16:]))
	if mdhd[0] == 1 {
		if len(mdhd) < 36 {
			return 0
		}
		scale, ticks = uint64(binary.BigEndian.Uint32(mdhd[20:])), binary.BigEndian.Uint64(mdhd[24:])
	}
	if scale == 0 {
		return 0
	}
	seconds := min(float64(ticks)/float64(scale), maxSpan.Seconds())
	return time.Duration(seconds * float64(time.Second))
}
