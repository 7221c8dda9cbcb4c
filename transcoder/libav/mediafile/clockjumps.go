package mediafile

import (
	"bytes"
	"slices"
)

const (
	clockRate = 90_000
	clockWrap = 1 << 33
	// maxForward and maxBack bound the steps of the DTS that are no jump. A source may pause
	// for seconds, and a DTS never goes back.
	maxForward = 10 * clockRate
	maxBack    = -1 * clockRate
	// maxSkew is how far apart the tracks of a file may jump.
	maxSkew = 1 * clockRate
	// usualStep is the distance of two timestamps where a track has none yet.
	usualStep = clockRate / 25
	// maxGaps bounds the jumps forward that may turn out to be pauses.
	maxGaps = 16
)

// ClockJumps returns a segment whose timestamps continue where they jumped. The clock of encoders
// that restart and of cameras that set their time jumps inside a segment. An hour forward would be
// an hour of frames to encode, and a step back would hide the frames after it. Timestamps after a
// jump keep their distances, also between audio and video. A jump forward is a pause, and stays,
// where another track without a jump has timestamps in between. Other segments are returned
// unchanged; data itself is never modified.
func ClockJumps(data []byte) []byte {
	if len(data) < packetSize || data[0] != syncByte {
		return data
	}
	look := jumps{tracks: map[int]*track{}}
	eachTime(data, func(pid, header int, at int64, _ bool) { look.take(pid, header, at) })
	if !look.any {
		return data
	}
	out := bytes.Clone(data)
	mend := jumps{tracks: map[int]*track{}, alone: look.paused(data)}
	eachTime(data, func(pid, header int, at int64, both bool) {
		if by := mend.take(pid, header, at); by != 0 {
			shift(out[header+9:], by)
			if both {
				shift(out[header+14:], by)
			}
		}
	})
	return out
}

// jumps follows the clock of every track.
type jumps struct {
	tracks map[int]*track
	// by is the last offset that was added to a track's timestamps.
	by int64
	// any: there was a jump. alone: jumps forward are left as they are.
	any, alone bool
	// gaps are the first jumps forward, returns the file offsets of the first jumps back.
	gaps    []gap
	returns []int
}

type track struct {
	last, step, by int64
	jumped         bool
	// from and to are the file offsets of its first and last timestamp.
	from, to int
}

// gap is the time that a track's clock jumped over; place is the jump's offset in the file.
type gap struct {
	from, length int64
	place        int
}

// take returns the offset to add to a track's next timestamp, which is at a place in the file.
func (j *jumps) take(pid, place int, at int64) int64 {
	t := j.tracks[pid]
	if t == nil {
		j.tracks[pid] = &track{last: at, step: usualStep, by: j.by, from: place, to: place}
		return j.by
	}
	t.to = place
	d := signed(at - t.last)
	switch {
	case d <= maxBack, d > maxForward && !j.alone:
		j.any, t.jumped = true, true
		if d > 0 && len(j.gaps) < maxGaps {
			j.gaps = append(j.gaps, gap{t.last, d, place})
		} else if d < 0 && len(j.returns) < maxGaps {
			j.returns = append(j.returns, place)
		}
		t.by = j.continued(signed(t.last+t.by+t.step), at)
	case d > 0:
		t.step = min(d, clockRate)
	}
	t.last = at
	return t.by
}

// continued returns the offset that brings a timestamp to about where it was expected: the
// offset of another track's jump where that suffices, so that audio and video stay in sync.
func (j *jumps) continued(expected, at int64) int64 {
	if d := signed(at + j.by - expected); j.by != 0 && d > -maxSkew && d < maxSkew {
		return j.by
	}
	j.by = signed(expected - at)
	return j.by
}

// paused reports whether a track without a jump continues while others jump: the file has it
// before and after all jumps, or it has timestamps well within a gap. A track of tags or
// subtitles has few timestamps and proves nothing, and neither does a track next to a clock that
// jumped back in between.
func (j *jumps) paused(data []byte) bool {
	for _, t := range j.tracks {
		aside := func(g gap) bool { return g.place <= t.from || t.to <= g.place }
		within := func(place int) bool { return t.from < place && place < t.to }
		if !t.jumped && len(j.gaps) > 0 && !slices.ContainsFunc(j.gaps, aside) && !slices.ContainsFunc(j.returns, within) {
			return true
		}
	}
	found := false
	eachTime(data, func(pid, _ int, at int64, _ bool) {
		if found || j.tracks[pid].jumped {
			return
		}
		found = slices.ContainsFunc(j.gaps, func(g gap) bool {
			since := (at - g.from) & (clockWrap - 1)
			return since > maxSkew && since < g.length-maxSkew
		})
	})
	return found
}

// signed returns the difference of two timestamps of a clock that wraps at 2^33.
func signed(d int64) int64 {
	d &= clockWrap - 1
	if d >= clockWrap/2 {
		d -= clockWrap
	}
	return d
}

// eachTime calls see with the DTS of each PES packet of audio and video, the offset of its
// header in the file, and whether it has a PTS besides.
func eachTime(data []byte, see func(pid, header int, at int64, both bool)) {
	for at := 0; at+packetSize <= len(data) && data[at] == syncByte; at += packetSize {
		p := parsePacket(data, at)
		if !p.unitStart || p.to-p.from < 14 {
			continue
		}
		h := data[p.from:p.to]
		if !beginsPES(h) || !timed(h[3]) {
			continue
		}
		switch has := h[7] >> 6; {
		case has == 3 && len(h) >= 19:
			see(p.pid, p.from, stamp(h[14:]), true)
		case has == 2:
			see(p.pid, p.from, stamp(h[9:]), false)
		}
	}
}

// timed reports whether a stream ID is one of audio or video; private streams may be audio.
func timed(id byte) bool { return id >= 0xc0 && id <= 0xef || id == 0xbd || id == 0xfd }

// stamp reads a timestamp of 33 bits; b has at least its five bytes.
func stamp(b []byte) int64 {
	return int64(b[0]>>1&7)<<30 | int64(b[1])<<22 | int64(b[2]>>1)<<15 | int64(b[3])<<7 | int64(b[4]>>1)
}

// shift adds to the timestamp at the front of b, and keeps its marker bits.
func shift(b []byte, by int64) {
	t := (stamp(b) + by) & (clockWrap - 1)
	b[0] = b[0]&^0x0e | byte(t>>30&7)<<1
	b[1] = byte(t >> 22)
	b[2] = b[2]&1 | byte(t>>15)<<1
	b[3] = byte(t >> 7)
	b[4] = b[4]&1 | byte(t)<<1
}
