package hls

import (
	"slices"
	"strconv"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/server/gateway/verify"
)

// stream is one stream's window. Guarded by Store.mu.
type stream struct {
	variants []Variant
	window   []entry
	bytes    int64
	// begun says that there was a segment; last is its number.
	begun bool
	last  core.SegmentNumber
	// times are those of the last segment, nil where it has none.
	times *verify.Times
	// epoch counts how often the numbers restarted.
	epoch int
	// first is the media sequence number of window[0]; discontinuities counts those that left the
	// window.
	first           int64
	discontinuities int64
	// cut marks the next segment as a discontinuity.
	cut    bool
	target time.Duration
	ended  bool
	// watched is when a playlist was last requested.
	watched time.Time
}

type entry struct {
	name          string
	duration      time.Duration
	at            time.Time
	discontinuity bool
	data          [][]byte
	bytes         int64
}

// Publish appends a segment. Segments must arrive in playing order (Order ensures that); a number
// that does not follow the last one, a gap in the clock, a change of source, and restarted numbers
// are marked as discontinuities. Segments of a stream that is not open, or with another number of
// files than variants, are ignored.
func (s *Store) Publish(id core.ManifestID, seg Segment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.streams[id]
	if st == nil || len(seg.Data) != len(st.variants) {
		return
	}
	st.append(seg)
	s.bytes += st.window[len(st.window)-1].bytes
	s.trimLocked(st, seg.At)
}

func (st *stream) append(seg Segment) {
	switch {
	case !st.begun:
		// Media sequence numbers follow the pushed ones as long as those do.
		st.first = max(0, int64(seg.Number))
	case seg.Number <= st.last:
		st.epoch++
		st.cut = true
	case seg.Number != st.last+1:
		st.cut = true
	case seg.Times != nil && st.times != nil && !seg.Times.Follows(*st.times):
		st.cut = true
	}
	e := entry{
		name:          segmentName(seg.Number, st.epoch),
		duration:      seg.Duration,
		at:            seg.At,
		discontinuity: st.begun && (st.cut || seg.Reinit),
		data:          seg.Data,
	}
	for _, d := range seg.Data {
		e.bytes += int64(len(d))
	}
	st.begun, st.last, st.times, st.cut = true, seg.Number, seg.Times, false
	st.bytes += e.bytes
	st.setTarget(seg.Duration)
	st.window = append(st.window, e)
}

// segmentName returns a segment's name in URLs: its number, and from the second epoch on also the epoch,
// so that names are unique.
func segmentName(n core.SegmentNumber, epoch int) string {
	name := strconv.FormatInt(int64(n), 10)
	if epoch > 0 {
		name += "-" + strconv.Itoa(epoch)
	}
	return name
}

// trimLocked reduces the stream and then the store to their limits.
func (s *Store) trimLocked(st *stream, now time.Time) {
	keep := s.listed(st, now) + keptUnlisted
	s.dropLocked(st, len(st.window)-keep)
	for st.bytes > s.limits.StreamBytes && len(st.window) > 0 {
		s.dropLocked(st, 1)
	}
	for s.bytes > s.limits.TotalBytes {
		big := st
		for _, o := range s.streams {
			if o.bytes > big.bytes {
				big = o
			}
		}
		s.dropLocked(big, 1)
	}
}

// listed returns how many segments the stream's playlists may list.
func (s *Store) listed(st *stream, now time.Time) int {
	if now.Sub(st.watched) < watchedFor {
		return s.limits.Watched
	}
	return s.limits.Unwatched
}

// dropLocked removes the n oldest segments.
func (s *Store) dropLocked(st *stream, n int) {
	if n <= 0 {
		return
	}
	for _, e := range st.window[:n] {
		st.bytes -= e.bytes
		s.bytes -= e.bytes
		st.first++
		if e.discontinuity {
			st.discontinuities++
		}
	}
	st.window = slices.Delete(st.window, 0, n)
}
