package verify

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/tuttinode/tutti/core"
)

// maxFrameTime is the longest time that one frame of the source is paid for: clocks may
// say anything.
const maxFrameTime = time.Second

// clocksDiffer: what a client names may be shorter by a tenth than the file's clock says. It
// then counts, since prices are for whole seconds.
const clocksDiffer = 10

// Length returns how long a segment plays, for its price: by its own clock, as far as its frames
// bear that out. What the client named counts where the file does not say, and is never more
// than the frames bear out, or than a segment of usual length where none can be counted.
func (s *Source) Length() time.Duration {
	if s.Pictures == 0 {
		return min(s.Duration, core.DefaultSegmentDuration)
	}
	most := min(time.Duration(s.Pictures)*maxFrameTime, core.MaxSegmentDuration)
	switch {
	case s.steady == 0, s.steady >= s.Duration && s.steady-s.Duration <= s.steady/clocksDiffer:
		return min(s.Duration, most)
	}
	return min(s.steady, most)
}

// Plays returns how long a segment plays, for players: by its own clock where it has one, as far as
// its frames bear that out.
func (s *Source) Plays() time.Duration {
	if s.Pictures > 0 && s.steady > 0 {
		return min(s.steady, time.Duration(s.Pictures)*maxFrameTime, core.MaxSegmentDuration)
	}
	return s.Length()
}

// playing is what a file's tables say of its video, whatever its codec.
type playing struct {
	samples core.Frames
	span    time.Duration
}

// playingMP4 reads the tables of a movie and of its fragments.
func playingMP4(data []byte) playing {
	moov := ChildBox(data, "moov")
	t := findTrack(moov)
	if !t.found {
		return playing{}
	}
	p := playing{span: t.length, samples: core.Frames(samplesOf(t.table))}
	if ChildBox(data, "moof") == nil {
		return p
	}
	f := fragmentTimes{id: t.id, preset: defaultTime(ChildBox(moov, "mvex"), t.id)}
	EachBox(data, func(kind string, body []byte, _ int) {
		if kind == "moof" {
			f.fragment(body)
		}
	})
	// The header is about the movie's own samples, and in fragments alone it says anything.
	if p.samples == 0 {
		p.span = 0
	}
	p.samples += core.Frames(f.samples)
	if t.scale > 0 {
		p.span += seconds(float64(f.ticks) / float64(t.scale))
	}
	return p
}

// seconds returns a playing time, bounded.
func seconds(n float64) time.Duration {
	return time.Duration(math.Min(n, maxSpan.Seconds()) * float64(time.Second))
}

// defaultTime returns how long samples of a track play that do not say.
func defaultTime(mvex []byte, id uint32) (ticks uint32) {
	EachBox(mvex, func(kind string, body []byte, _ int) {
		if kind == "trex" && len(body) >= 16 && binary.BigEndian.Uint32(body[4:]) == id {
			ticks = binary.BigEndian.Uint32(body[12:])
		}
	})
	return ticks
}

// fragmentTimes adds up how long the samples of a track play.
type fragmentTimes struct {
	id, preset     uint32
	samples, ticks uint64
}

func (f *fragmentTimes) fragment(moof []byte) {
	EachBox(moof, func(kind string, traf []byte, _ int) {
		if kind == "traf" {
			f.track(traf)
		}
	})
}

func (f *fragmentTimes) track(traf []byte) {
	head := fields{b: ChildBox(traf, "tfhd")}
	flags := head.u32() & 0xffffff
	if id := head.u32(); head.short || id != f.id {
		return
	}
	head.skip(flags, tfhdBase, tfhdBase, tfhdDescription)
	each := f.preset
	if flags&tfhdDuration != 0 {
		each = head.u32()
	}
	EachBox(traf, func(kind string, trun []byte, _ int) {
		if kind == "trun" && !head.short {
			f.run(trun, each)
		}
	})
}

// run reads one run of samples, of which each plays for so many ticks or says how many.
func (f *fragmentTimes) run(trun []byte, each uint32) {
	r := fields{b: trun}
	flags := r.u32() & 0xffffff
	count := uint64(r.u32())
	if r.short {
		return
	}
	count = min(count, maxSamples-min(f.samples, maxSamples))
	if flags&trunDuration == 0 {
		f.samples, f.ticks = f.samples+count, f.ticks+count*uint64(each)
		return
	}
	r.skip(flags, trunOffset, trunFirstFlags)
	for range count {
		ticks := r.u32()
		r.skip(flags, trunSize, trunFlags, trunShifted)
		if r.short {
			return
		}
		f.samples, f.ticks = f.samples+1, f.ticks+uint64(ticks)
	}
}
