package live

import (
	"bytes"
	"context"
	"errors"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/bluenviron/mediacommon/v2/pkg/codecs/h264"
	"github.com/bluenviron/mediacommon/v2/pkg/codecs/mpeg4audio"
)

const (
	// maxOutputs bounds the RTMP servers that get one stream.
	maxOutputs = 3
	// dialWithin bounds a connection's begin, again is the wait after one that failed.
	dialWithin = 10 * time.Second
	again      = 5 * time.Second
	// warnAgain is how long after a line about an output that stopped the next one may follow.
	warnAgain = time.Minute
	// unitCost is what a unit takes besides its bytes: small ones must not cost more than they count.
	unitCost = 64
)

const textOutput = "Invalid RTMP output"

// Sound is how the sound of a stream's output is encoded; nil has none that RTMP servers take.
type Sound = mpeg4audio.AudioSpecificConfig

// Restream connects to the RTMP server of an address, which gets H.264 with the parameter sets.
type Restream func(ctx context.Context, address string, sps, pps []byte, sound *Sound) (Restreamer, error)

// Restreamer sends a stream to an RTMP server.
type Restreamer interface {
	WriteVideo(pts, dts time.Duration, unit [][]byte) error
	WriteSound(pts time.Duration, unit []byte) error
	Close() error
}

// outputURLs are the addresses that a publisher gives for the result.
func outputURLs(q url.Values) (out []string) {
	for _, list := range q["rtmpOutput"] {
		for one := range strings.SplitSeq(list, ",") {
			if one = strings.TrimSpace(one); one != "" {
				out = append(out, one)
			}
		}
	}
	return out
}

// validOutputs reports whether the addresses can be used.
func validOutputs(all []string) bool {
	for _, text := range all {
		u, err := url.Parse(text)
		if err != nil || u.Scheme != "rtmp" && u.Scheme != "rtmps" || u.Hostname() == "" || u.User != nil ||
			strings.Trim(u.Path, "/") == "" || len(text) > 1024 {
			return false
		}
	}
	return len(all) <= maxOutputs
}

// runOutputs sends the result to RTMP servers until ctx ends.
func (s *stream) runOutputs(ctx context.Context) {
	if s.srv.o.Restream == nil {
		return
	}
	var wg sync.WaitGroup
	for _, address := range s.outputs {
		wg.Go(func() {
			var stops outputStops
			for ctx.Err() == nil {
				err := s.restream(ctx, address)
				if ctx.Err() != nil {
					return
				}
				s.warnOutput(&stops, address, err)
				wait(ctx, s.srv.o.Limits.OutputAgain)
			}
		})
	}
	wg.Wait()
}

// outputStops counts how often an output stopped since its last line in the log.
type outputStops struct {
	times  int
	warned time.Time
}

// warnOutput logs that an output stopped: at once, then at most every warnAgain with the number of
// times. Publishers choose the addresses, so all of them together have a limit as well.
func (s *stream) warnOutput(stops *outputStops, address string, err error) {
	stops.times++
	now := s.srv.o.Now()
	if since := now.Sub(stops.warned); !stops.warned.IsZero() && since >= 0 && since < warnAgain {
		return
	}
	u, _ := url.Parse(address) // was checked
	others, ok := s.srv.outputLines.Allow(u.Host, now)
	if !ok {
		return
	}
	s.srv.o.Log.Warn("a live stream's RTMP output stopped", "stream", s.id, "host", u.Host, "times", stops.times,
		"others", others, "err", err)
	*stops = outputStops{warned: now}
}

func wait(ctx context.Context, d time.Duration) {
	late := time.NewTimer(d)
	defer late.Stop()
	select {
	case <-late.C:
	case <-ctx.Done():
	}
}

var (
	errSlowOutput  = errors.New("the RTMP server takes the stream too slowly")
	errOtherOutput = errors.New("the output's codec changed")
)

// restream sends the result to one server until that fails or ctx ends.
func (s *stream) restream(ctx context.Context, address string) error {
	t := s.out.tap()
	defer s.out.untap(t)
	first, err := t.next(ctx) // a key frame
	if err != nil {
		return err
	}
	sps, pps := parameterSets(first.unit)
	dial, cancel := context.WithTimeout(ctx, dialWithin)
	defer cancel()
	to, err := s.srv.o.Restream(dial, address, sps, pps, first.sound)
	if err != nil {
		return err
	}
	release := context.AfterFunc(ctx, func() { _ = to.Close() }) // ends a write that waits
	defer func() {
		release()
		_ = to.Close() // it is over
	}()
	base := first.dts
	for p := first; ; {
		if p.sound != first.sound && !sameSound(p.sound, first.sound) {
			return errOtherOutput
		}
		if err := p.send(to, base); err != nil {
			return err
		}
		if p, err = t.next(ctx); err != nil {
			return err
		}
	}
}

func sameSound(a, b *Sound) bool {
	if a == nil || b == nil {
		return a == b
	}
	x, errX := a.Marshal()
	y, errY := b.Marshal()
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// parameterSets are those in a key frame.
func parameterSets(unit [][]byte) (sps, pps []byte) {
	for _, n := range unit {
		if len(n) == 0 {
			continue
		}
		switch h264.NALUType(n[0] & 0x1f) {
		case h264.NALUTypeSPS:
			sps = n
		case h264.NALUTypePPS:
			pps = n
		}
	}
	return sps, pps
}

// piece is a picture, or sound if pieces of it are set. Read-only.
type piece struct {
	key      bool
	pts, dts int64
	unit     [][]byte
	aac      [][]byte
	// sound is how the output's sound is encoded, nil without one.
	sound *Sound
	size  int
}

// send sends a piece with times that begin at base.
func (p *piece) send(to Restreamer, base int64) error {
	at := func(t int64) time.Duration { return time.Duration(max(0, t-base)) * time.Second / videoClock }
	if p.unit != nil {
		return to.WriteVideo(at(p.pts), at(p.dts), p.unit)
	}
	pts := p.pts
	for _, a := range p.aac {
		if err := to.WriteSound(at(pts), a); err != nil {
			return err
		}
		if p.sound.SampleRate > 0 {
			pts += mpeg4audio.SamplesPerAccessUnit * videoClock / int64(p.sound.SampleRate)
		}
	}
	return nil
}

// tap takes an output's pieces, from a key frame with its parameter sets on.
type tap struct {
	more chan struct{}

	mu           sync.Mutex
	queue        []*piece
	bytes        int
	opened, slow bool
}

// tap adds one.
func (o *output) tap() *tap {
	t := &tap{more: make(chan struct{}, 1)}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.taps[t] = struct{}{}
	return t
}

func (o *output) untap(t *tap) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.taps, t)
}

// tapLocked hands a piece to all taps.
func (o *output) tapLocked(p *piece) {
	p.sound, p.size = o.aac, frameCost
	for _, n := range p.unit {
		p.size += unitCost + len(n)
	}
	for _, n := range p.aac {
		p.size += unitCost + len(n)
	}
	for t := range o.taps {
		t.offer(p)
	}
}

// offer adds a piece without waiting.
func (t *tap) offer(p *piece) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.opened {
		if sps, pps := parameterSets(p.unit); !p.key || sps == nil || pps == nil {
			return
		}
		t.opened = true
	}
	if t.slow = t.slow || t.bytes+p.size > maxQueued; t.slow {
		t.queue = nil
	} else {
		t.queue = append(t.queue, p)
		t.bytes += p.size
	}
	select {
	case t.more <- struct{}{}:
	default:
	}
}

// next waits for the next piece.
func (t *tap) next(ctx context.Context) (*piece, error) {
	for {
		t.mu.Lock()
		slow := t.slow
		if len(t.queue) > 0 {
			p := t.queue[0]
			t.queue = t.queue[1:]
			t.bytes -= p.size
			t.mu.Unlock()
			return p, nil
		}
		t.mu.Unlock()
		if slow {
			return nil, errSlowOutput
		}
		select {
		case <-t.more:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
