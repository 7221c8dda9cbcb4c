// Package segmenter cuts a live stream at key frames into segments of MPEG-TS, each of which can be decoded alone.
//
// It moves frames and decodes none. server/gateway/live writes the segments to an orchestrator while they grow,
// server/gateway/ingest collects them and hands them to the gateway like pushed ones.
package segmenter

import (
	"bytes"
	"io"
	"sync"
	"time"

	"github.com/bluenviron/mediacommon/v2/pkg/codecs/h264"
	"github.com/bluenviron/mediacommon/v2/pkg/formats/mpegts"
)

// Clock is the frequency of time stamps in MPEG-TS.
const Clock = 90000

// FirstTime is the time stamp with which a stream should begin. Clock references are a little earlier, and must
// not be negative.
const FirstTime = Clock

// maxSet bounds a parameter set that is kept: it is put before each key frame that comes without.
const maxSet = 64 << 10

// maxStep is the longest step in time between pictures that is no jump.
const maxStep = 10 * Clock

// Output is a segment that is being written. Close ends it, Drop gives it up.
type Output interface {
	io.Writer
	Close() error
	Drop()
}

// Target is where segments go. The error of Next, and one of writing, ends the use of the target.
type Target interface {
	Next() (Output, error)
}

// Options make a Segmenter.
type Options struct {
	// Least is the shortest segment in the media's time, LeastWall by the clock.
	Least, LeastWall time.Duration
	// Keep is how old a segment may be that the next target gets when the present one is gone; zero keeps none.
	Keep time.Duration
	Now  func() time.Time
}

// Segmenter cuts one stream. Its methods may be called concurrently; none waits unless the target does.
type Segmenter struct {
	o Options

	mu sync.Mutex
	to Target
	// sound is the codec of the sound, nil for none; it holds from the next segment on.
	sound mpegts.Codec
	// seg is being written, with mux into buf. It is nil before the first key frame, and without a target that takes it;
	// mux is nil only if the segment is not kept either.
	seg          Output
	mux          *mpegts.Writer
	buf          bytes.Buffer
	video, audio *mpegts.Track
	// began and from are when the segment began, by the clock and by the media.
	began time.Time
	from  int64
	// at is the last picture's time; jumped: the media's time jumped since the segment began.
	at     int64
	jumped bool
	// sps and pps are the latest, for key frames that come without.
	sps, pps []byte
	lastAt   time.Time
	// fedAt is when the first segment for the target began, zero before.
	fedAt   time.Time
	refusal refusal
	kept    kept
	// wantKey asks the publisher for a key frame; may be nil.
	wantKey func()
}

// New makes a segmenter without a target.
func New(o Options) *Segmenter { return &Segmenter{o: o, refusal: refusal{at: make(chan struct{})}} }

// Direct sends what follows to another target, nil sends it nowhere: a segment that is kept, or else what comes from
// the next key frame on. The present target's segment is given up there.
func (s *Segmenter) Direct(to Target) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seg != nil {
		s.seg.Drop()
	}
	s.seg, s.to, s.refusal, s.fedAt = nil, to, refusal{at: make(chan struct{})}, time.Time{}
	switch {
	case to == nil:
		s.leaveLocked()
	case !s.repeatLocked() && s.wantKey != nil:
		s.wantKey()
	}
}

// Finish ends the segment that is being written, which is whole, and sends what follows nowhere.
func (s *Segmenter) Finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seg != nil {
		_ = s.seg.Close() // the target knows
	}
	s.seg, s.to, s.mux, s.kept = nil, nil, nil, kept{}
}

// OnWantKey sets how a key frame is requested from the publisher, which must not wait.
func (s *Segmenter) OnWantKey(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wantKey = f
}

// SetSound sets the codec of the sound, nil for none, from the next segment on.
func (s *Segmenter) SetSound(codec mpegts.Codec) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sound = codec
}

// SetParameters sets the parameter sets that came apart from the pictures.
func (s *Segmenter) SetParameters(sps, pps []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sps, s.pps = parameterSet(sps), parameterSet(pps)
}

// parameterSet is what is kept of one: nothing of one that no stream has.
func parameterSet(b []byte) []byte {
	if len(b) > maxSet {
		return nil
	}
	return bytes.Clone(b)
}

// Touch counts as a picture for Last.
func (s *Segmenter) Touch() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastAt = s.o.Now()
}

// Last is when the last picture came, when the target got its first segment, zero before, and why it takes no more,
// if so.
func (s *Segmenter) Last() (picture, fed time.Time, failed error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lastAt, s.fedAt, s.refusal.err
}

// AnnexB takes a picture as Video does, in one piece.
func (s *Segmenter) AnnexB(pts int64, data []byte, whole bool) {
	var unit h264.AnnexB
	if unit.Unmarshal(data) == nil {
		s.Video(pts, pts, unit, whole)
	}
}

// Video takes a picture of H.264. One that is not whole is left out, unless it is a key frame.
func (s *Segmenter) Video(pts, dts int64, unit [][]byte, whole bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastAt = s.o.Now()
	nalus, key := s.parametersLocked(unit)
	if len(nalus) == 0 || !s.takenLocked() && !s.kept.used {
		return
	}
	s.jumped = s.jumped || dts < s.at || dts > s.at+maxStep
	s.at = dts
	switch {
	case key && (s.mux == nil || s.dueLocked(dts)):
		s.beginLocked(dts)
	case s.mux == nil || !whole:
		return
	}
	if s.mux != nil && s.mux.WriteH264(s.video, pts, dts, nalus) == nil {
		s.flushLocked()
	}
}

// parametersLocked remembers a picture's parameter sets, and puts them before a key frame that has none.
func (s *Segmenter) parametersLocked(unit [][]byte) (nalus [][]byte, key bool) {
	var own bool
	for _, n := range unit {
		if len(n) == 0 {
			continue
		}
		switch h264.NALUType(n[0] & 0x1f) {
		case h264.NALUTypeSPS:
			s.sps, own = parameterSet(n), true
		case h264.NALUTypePPS:
			s.pps = parameterSet(n)
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

// dueLocked reports whether the segment is long enough. A jump of the media's time ends it too.
func (s *Segmenter) dueLocked(dts int64) bool {
	media := time.Duration(dts-s.from) * time.Second / Clock
	return (media >= s.o.Least || s.jumped) && s.o.Now().Sub(s.began) >= s.o.LeastWall
}

// beginLocked ends the segment and begins the next one.
func (s *Segmenter) beginLocked(dts int64) {
	if s.seg != nil {
		_ = s.seg.Close() // the target knows
	}
	s.seg, s.mux = nil, nil
	s.began, s.from, s.jumped = s.o.Now(), dts, false
	taken := s.takenLocked() && s.nextLocked()
	if !s.keepLocked(taken) && !taken {
		return
	}
	s.buf.Reset()
	s.video, s.audio = &mpegts.Track{Codec: &mpegts.CodecH264{}}, nil
	s.mux = &mpegts.Writer{W: &s.buf, Tracks: []*mpegts.Track{s.video}}
	if s.sound != nil {
		s.audio = &mpegts.Track{Codec: s.sound}
		s.mux.Tracks = append(s.mux.Tracks, s.audio)
	}
	if err := s.mux.Initialize(); err != nil {
		s.refuseLocked(err)
		s.mux = nil
	}
}

// nextLocked begins a segment at the target, and reports whether it takes one.
func (s *Segmenter) nextLocked() bool {
	seg, err := s.to.Next()
	if err != nil {
		s.refuseLocked(err)
		return false
	}
	s.seg = seg
	if s.fedAt.IsZero() {
		s.fedAt = s.o.Now()
	}
	return true
}

// Sound takes pieces of sound that follow each other. Before the first picture there is nothing to add them to.
func (s *Segmenter) Sound(pts int64, pieces ...[]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mux == nil || s.audio == nil || len(pieces) == 0 || len(pieces[0]) == 0 {
		return
	}
	var err error
	switch s.audio.Codec.(type) {
	case *mpegts.CodecOpus:
		err = s.mux.WriteOpus(s.audio, pts, pieces)
	case *mpegts.CodecMPEG4Audio:
		err = s.mux.WriteMPEG4Audio(s.audio, pts, pieces)
	default:
		return
	}
	if err == nil {
		s.flushLocked()
	}
}

// flushLocked sends what was muxed, and keeps it. A target that cannot take it loses the segment.
func (s *Segmenter) flushLocked() {
	kept := s.addKeptLocked(s.buf.Bytes())
	if s.seg != nil {
		if _, err := s.seg.Write(s.buf.Bytes()); err != nil {
			s.refuseLocked(err)
		}
	}
	if s.seg == nil && !kept {
		s.mux = nil
	}
	s.buf.Reset()
}
