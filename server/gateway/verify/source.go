package verify

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/tuttinode/tutti/core"
)

// Source is what a segment itself says of how many frames its renditions may have.
type Source struct {
	// Duration is the playing time that the client named. Clients name none, or a wrong
	// one, so it never counts alone where the file can be read.
	Duration time.Duration
	// Most is the largest number of frames that a decoder may make of the file, with
	// both fields of what may be interlaced; 0 when the file cannot be read.
	Most core.Frames
	// Frames is how many frames the file has, also where its codec is not read: then by
	// its tables. 0 when they cannot be counted.
	Pictures core.Frames
	// Span is how long the file's own clock says that it plays, 0 when unknown.
	Span time.Duration
	// steady is Span without what the clock jumped over.
	steady time.Duration
	// Times are where the file's clock begins and ends, nil where unknown.
	Times *Times
	// Mixed says that its frames are not all of one size.
	Mixed bool
	// Size is that of all of its frames, zero where they are mixed or cannot be read.
	Size Size
}

// ReadSource looks at a segment. What cannot be read stays unknown.
func ReadSource(data []byte, duration time.Duration) Source {
	s := Source{Duration: duration}
	if IsMP4(data) {
		p := playingMP4(data)
		s.Pictures, s.Span, s.steady = p.samples, p.span, p.span
	}
	v, err := Count(data)
	if err != nil || v.Most == 0 {
		return s
	}
	s.Most, s.Mixed = v.Most, v.Mixed
	if !s.Mixed {
		s.Size = Size{v.Width, v.Height}
	}
	if s.Pictures = v.Most; isTS(data) {
		times := clockTS(data)
		s.Span, s.steady, s.Times = times.duration(), times.plays(), times.times()
	}
	if several(data) {
		// Which of them transcoders take is their choice.
		s.Most, s.Span, s.Mixed, s.Size = 0, 0, true, Size{}
	}
	return s
}

// several reports whether a file may have more than one video: in a transport stream further
// programs may have some.
func several(data []byte) bool {
	videos := 0
	if isTS(data) {
		program := programOf(data)
		for _, one := range program.Streams {
			if videoTypes[one.Type] || videoFormats[one.Format] {
				videos++
			}
		}
		return videos > 1 || program.Programs > 1
	}
	EachBox(ChildBox(data, "moov"), func(kind string, body []byte, _ int) {
		if _, found := videoEntry(body); found && kind == "trak" {
			videos++
		}
	})
	return videos > 1
}

// Plays returns for how long a file's video is certain to play, 0 when that is unknown.
// Only headers are read. Where the clock of a transport stream jumps, it counts the
// usual step.
func Plays(data []byte) time.Duration {
	switch {
	case isTS(data):
		times := clockTS(data)
		return times.plays()
	case IsMP4(data):
		return playingMP4(data).span
	}
	return 0
}

// trackLength reads a media header: how many ticks a second has, and how long the track
// plays, 0 where that is unknown, which all bits set say.
func trackLength(mdhd []byte) (ticksASecond uint32, length time.Duration) {
	if len(mdhd) < 24 {
		return 0, 0
	}
	scale, ticks := uint64(binary.BigEndian.Uint32(mdhd[12:])), uint64(binary.BigEndian.Uint32(mdhd[16:]))
	unknown := uint64(math.MaxUint32)
	if mdhd[0] == 1 {
		if len(mdhd) < 36 {
			return 0, 0
		}
		scale, ticks = uint64(binary.BigEndian.Uint32(mdhd[20:])), binary.BigEndian.Uint64(mdhd[24:])
		unknown = math.MaxUint64
	}
	switch {
	case scale == 0:
		return 0, 0
	case ticks == unknown:
		return uint32(scale), 0
	}
	return uint32(scale), seconds(float64(ticks) / float64(scale))
}

// sampleTicks adds up how long so many samples of a track play by its table of their times.
// The table may name more samples than there are, and times that step back, which some
// cameras write: transcoders pass over both.
func sampleTicks(stts []byte, samples int) (ticks float64) {
	const steppedBack = math.MaxUint32 - 10*48_000
	r := fields{b: stts}
	r.u32()
	for left := r.u32(); left > 0 && samples > 0 && !r.short; left-- {
		count, each := min(int(r.u32()), samples), r.u32()
		if samples -= count; each > steppedBack {
			each = 1
		}
		ticks += float64(count) * float64(each)
	}
	return ticks
}
