package live

import (
	"bytes"
	"sync"
	"time"

	"github.com/bluenviron/mediacommon/v2/pkg/codecs/h264"
	"github.com/bluenviron/mediacommon/v2/pkg/formats/mpegts"

	"github.com/tuttinode/tutti/server/trickle/client"
)

// firstTime is the time stamp of a stream's first picture. Clock references are a little earlier, and must not
// be negative.
const firstTime = videoClock

// segments are where a segmenter writes.
type segments interface {
	Next() (*client.Segment, error)
}

// segmenter cuts the input at key frames into MPEG-TS segments and writes them as they grow. Its methods are for
// several goroutines; none waits.
type segmenter struct {
	least time.Duration
	audio bool
	now   func() time.Time

	mu sync.Mutex
	to segments
	// seg is being written, with mux into buf. It is nil before the first key frame.
	seg    *client.Segment
	mux    *mpegts.Writer
	buf    bytes.Buffer
	tracks [2]*mpegts.Track
	// began and from are when the segment began, by the clock and by the media.
	began time.Time
	from  int64
	// sps and pps are the latest, for key frames that come without.
	sps, pps []byte
	lastAt   time.Time
	// fedAt is when the first segment for the orchestrator began, zero before.
	fedAt  time.Time
	failed error
	// wantKey asks the publisher for a key frame; may be nil.
	wantKey func()
}

// direct sends what follows, from the next key frame on, to another orchestrator; nil sends it nowhere.
func (s *segmenter) direct(to segments) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seg != nil {
		s.seg.Drop()
	}
	s.seg, s.to, s.failed, s.fedAt = nil, to, nil, time.Time{}
	if to != nil && s.wantKey != nil {
		s.wantKey()
	}
}

// ask sets how the publisher is asked for a key frame, which must not wait.
func (s *segmenter) ask(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wantKey = f
}

// last is when the last picture came, when the orchestrator got its first segment, zero before, and why it takes
// no more, if so.
func (s *segmenter) last() (picture, fed time.Time, failed error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lastAt, s.fedAt, s.failed
}

// video takes a picture. A picture that is not whole waits for the next key frame.
func (s *segmenter) video(pts int64, annexB []byte, whole bool) {
	var unit h264.AnnexB
	if unit.Unmarshal(annexB) != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastAt = s.now()
	nalus, key := s.parameters(unit)
	if len(nalus) == 0 || s.to == nil || s.failed != nil {
		return
	}
	switch {
	case key && (s.seg == nil || s.due(pts)):
		s.begin(pts)
	case s.seg == nil || !whole:
		return
	}
	if s.seg != nil && s.mux.WriteH264(s.tracks[0], pts, pts, nalus) == nil {
		s.flush()
	}
}

// parameters remembers a picture's parameter sets, and puts them before a key frame that has none.
func (s *segmenter) parameters(unit [][]byte) (nalus [][]byte, key bool) {
	var own bool
	for _, n := range unit {
		if len(n) == 0 {
			continue
		}
		switch h264.NALUType(n[0] & 0x1f) {
		case h264.NALUTypeSPS:
			s.sps, own = bytes.Clone(n), true
		case h264.NALUTypePPS:
			s.pps = bytes.Clone(n)
		case h264.NALUTypeIDR:
			key = true
		}
		nalus = append(nalus, n)
	}
	if key && !own && s.sps != nil && s.pps != nil {
		nalus = append([][]byte{s.sps, s.pps}, nalus...)
	}
	return nalus, key
}

// due reports whether the segment is long enough.
func (s *segmenter) due(pts int64) bool {
	media := time.Duration(pts-s.from) * time.Second / videoClock
	return media >= s.least && s.now().Sub(s.began) >= s.least
}

// begin ends the segment and begins the next one.
func (s *segmenter) begin(pts int64) {
	if s.seg != nil {
		_ = s.seg.Close() // a broken one has been counted by its publisher
	}
	seg, err := s.to.Next()
	if err != nil {
		s.seg, s.failed = nil, err
		return
	}
	s.seg, s.began, s.from = seg, s.now(), pts
	if s.fedAt.IsZero() {
		s.fedAt = s.began
	}
	s.buf.Reset()
	s.tracks = [2]*mpegts.Track{{Codec: &mpegts.CodecH264{}}, {Codec: &mpegts.CodecOpus{ChannelCount: 2}}}
	s.mux = &mpegts.Writer{W: &s.buf, Tracks: s.tracks[:1]}
	if s.audio {
		s.mux.Tracks = s.tracks[:]
	}
	if err := s.mux.Initialize(); err != nil {
		s.seg, s.failed = nil, err
	}
}

// sound takes an Opus packet. Before the first picture there is nothing to add it to.
func (s *segmenter) sound(pts int64, packet []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seg != nil && s.audio && len(packet) > 0 && s.mux.WriteOpus(s.tracks[1], pts, [][]byte{packet}) == nil {
		s.flush()
	}
}

// flush sends what was muxed. A segment that cannot take it is given up.
func (s *segmenter) flush() {
	if _, err := s.seg.Write(s.buf.Bytes()); err != nil {
		s.seg.Drop()
		s.seg, s.failed = nil, err
	}
	s.buf.Reset()
}
