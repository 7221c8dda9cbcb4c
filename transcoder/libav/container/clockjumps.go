package container

import (
	"bytes"
	"slices"
)

const (
	clockRate = 90_000
	clockWrap = 1 << 33
	// forth and back bound the steps that are no jump. A source may be still for
	// seconds, and decoding times never go back.
	forth = 10 * clockRate
	back  = -1 * clockRate
	// together is how far apart the tracks of a file may jump.
	together = 1 * clockRate
	// usual is the distance of two times where a track has not told one.
	usual = clockRate / 25
	// maxGaps bounds the jumps forward that may turn out to be pauses.
	maxGaps = 16
)

// ClockJumps returns a segment whose clock goes on where it jumped. Encoders that start
// again and cameras that set their time jump inside a segment; taken at its word, an hour
// forward is an hour of pictures to make, and a step back hides what comes after it. What
// follows a jump keeps its distances, between sound and picture too. A jump forward is a pause
// and stays where another track, which has none, goes on meanwhile. Another segment is returned as it is;
// data itself is never changed.
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
	// by is what was added last to bring a track's times to where they were expected.
	by int64
	// any says that there was a jump; alone leaves jumps forward as they are.
	any, alone bool
	// gaps are the first jumps forward, returns where in the file the first ones back are.
	gaps    []gap
	returns []int
}

type track struct {
	last, step, by int64
	jumped         bool
	// from and to are where in the file its first and last time are.
	from, to int
}

// gap is what a track's clock jumped over, and where in the file it did.
type gap struct {
	from, length int64
	place        int
}

// take returns what has to be added to a track's next time, which is at a place in the file.
func (j *jumps) take(pid, place int, at int64) int64 {
	t := j.tracks[pid]
	if t == nil {
		j.tracks[pid] = &track{last: at, step: usual, by: j.by, from: place, to: place}
		return j.by
	}
	t.to = place
	d := signed(at - t.last)
	switch {
	case d <= back, d > forth && !j.alone:
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

// continued is what brings a time to about where it was expected: what another track's
// jump took where that does, since sound and picture have to stay together.
func (j *jumps) continued(expected, at int64) int64 {
	if d := signed(at + j.by - expected); j.by != 0 && d > -together && d < together {
		return j.by
	}
	j.by = signed(expected - at)
	return j.by
}

// paused reports whether a track that never jumps goes on where others jump: the file has it
// before and after all of that, or it has times well within what was jumped over. Tags and
// subtitles are rare: that one of them does not jump says nothing, and neither does one beside
// a clock that jumped back in between.
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
			return since > together && since < g.length-together
		})
	})
	return found
}

// signed is a difference of two times of a clock that begins anew after 2^33.
func signed(d int64) int64 {
	d &= clockWrap - 1
	if d >= clockWrap/2 {
		d -= clockWrap
	}
	return d
}

// eachTime calls see with the decoding time of each packet of sound and picture, where its
// header is in the file, and whether it has a time of presentation as well.
func eachTime(data []byte, see func(pid, header int, at int64, both bool)) {
	for at := 0; at+packetSize <= len(data) && data[at] == syncByte; at += packetSize {
		p := parsePacket(data, at)
		if !p.begins || p.to-p.from < 14 {
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

// timed are the streams of sound and picture; private ones may be sound.
func timed(id byte) bool { return id >= 0xc0 && id <= 0xef || id == 0xbd || id == 0xfd }

// stamp reads a time of 33 bits; b has the five bytes at least.
func stamp(b []byte) int64 {
	return int64(b[0]>>1&7)<<30 | int64(b[1])<<22 | int64(b[2]>>1)<<15 | int64(b[3])<<7 | int64(b[4]>>1)
}

// shift adds to the time at the front of b, and keeps the bits between.
func shift(b []byte, by int64) {
	t := (stamp(b) + by) & (clockWrap - 1)
	b[0] = b[0]&^0x0e | byte(t>>30&7)<<1
	b[1] = byte(t >> 22)
	b[2] = b[2]&1 | byte(t>>15)<<1
	b[3] = byte(t >> 7)
	b[4] = b[4]&1 | byte(t)<<1
}
