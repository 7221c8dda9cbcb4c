package main

import (
	"context"
	"encoding/binary"
	"io"
	"sync"
	"time"

	"github.com/tuttinode/tutti/server/trickle"
	"github.com/tuttinode/tutti/test/figures"
)

// rate is what a stream sends: frames of one size, each with the time of its sending, in segments of a second.
type rate struct {
	bits, fps int
}

func (r rate) frame() int             { return r.bits / 8 / r.fps }
func (r rate) period() time.Duration  { return time.Second / time.Duration(r.fps) }
func (r rate) segment(frame int) bool { return frame%r.fps == 0 }

// epoch is what the times in frames are counted from. Read-only.
var epoch = time.Now()

// stamp writes the present into a frame.
func stamp(frame []byte) { binary.BigEndian.PutUint64(frame, uint64(time.Since(epoch))) }

// age is how long ago a frame was sent.
func age(frame []byte) time.Duration {
	return time.Since(epoch) - time.Duration(binary.BigEndian.Uint64(frame))
}

// paced calls send once a period, the nth of many streams a little after the one before it, until ctx ends.
func (r rate) paced(ctx context.Context, nth, of int, send func(n int) error) error {
	if !pause(ctx, r.period()*time.Duration(nth)/time.Duration(of)) {
		return nil
	}
	tick := time.NewTicker(r.period())
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
		if err := send(n); err != nil {
			return err
		}
	}
}

// publish writes frames into a channel until ctx ends.
func (r rate) publish(ctx context.Context, p *trickle.Publisher, nth, of int) error {
	frame := make([]byte, r.frame())
	var seg *trickle.Outgoing
	err := r.paced(ctx, nth, of, func(n int) (err error) {
		if r.segment(n) {
			if seg != nil {
				_ = seg.Close() // a broken one fails the next write
			}
			if seg, err = p.Next(ctx); err != nil {
				return err
			}
		}
		stamp(frame)
		_, err = seg.Write(frame)
		return err
	})
	if seg != nil {
		_ = seg.Close() // the load is over
	}
	if ctx.Err() != nil {
		return nil // its end cut the segment off
	}
	return err
}

// delays are those of frames, in milliseconds. Safe for concurrent use.
type delays struct {
	mu     sync.Mutex
	all    []float64
	frames int
}

func (d *delays) add(took time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.frames++
	d.all = append(d.all, float64(took.Microseconds())/1000)
}

// begin forgets what came before: the first frames warm the way up.
func (d *delays) begin() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.all = d.all[:0]
}

// count is how many frames came in all.
func (d *delays) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.frames
}

func (d *delays) quantile(q float64) float64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return figures.Quantile(d.all, q)
}

// read takes whole frames until the end of the bytes.
func (d *delays) read(in io.Reader, frame []byte) {
	for {
		if _, err := io.ReadFull(in, frame); err != nil {
			return
		}
		d.add(age(frame))
	}
}

// subscribe reads a channel's frames until ctx ends.
func (d *delays) subscribe(ctx context.Context, s *trickle.Subscriber, size int) error {
	defer s.Close()
	frame := make([]byte, size)
	for {
		in, err := s.Next(ctx)
		if err != nil {
			return err
		}
		d.read(in, frame)
		_ = in.Close() // it was only read
	}
}

// drain reads a channel and forgets it, until ctx ends.
func drain(ctx context.Context, s *trickle.Subscriber) error {
	defer s.Close()
	for {
		in, err := s.Next(ctx)
		if err != nil {
			return err
		}
		_, _ = io.Copy(io.Discard, in)
		_ = in.Close() // it was only read
	}
}
