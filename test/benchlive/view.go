package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/tuttinode/tutti/test/livevideo"
)

// clients stands in for the test that the clients of test/livevideo expect.
type clients struct {
	ctx     context.Context
	cleanup []func()
}

// stopped is the value with which Fatal panics; use recovers it.
type stopped struct{ why string }

func (c *clients) Helper()                  {}
func (c *clients) Context() context.Context { return c.ctx }
func (c *clients) Cleanup(f func())         { c.cleanup = append(c.cleanup, f) }
func (c *clients) Fatal(args ...any)        { panic(stopped{fmt.Sprint(args...)}) }

// use calls f, and then the cleanup functions that its clients registered.
func (c *clients) use(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			s, ok := v.(stopped)
			if !ok {
				panic(v)
			}
			err = fmt.Errorf("a client of live video: %s", s.why)
		}
	}()
	defer func() {
		for i := len(c.cleanup) - 1; i >= 0; i-- {
			c.cleanup[i]()
		}
	}()
	return f()
}

// show publishes numbered pictures in a loop and watches what comes back.
type show struct {
	pictures [][]byte

	mu sync.Mutex
	// sent[n] is when the nth picture was sent. units are the pictures that arrived, arrived their times.
	sent    []time.Time
	arrived []time.Time
	units   [][]byte
}

// next returns the nth picture and records that it is sent now.
func (w *show) next(n int) []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sent = append(w.sent, time.Now())
	return w.pictures[n%len(w.pictures)]
}

func (w *show) take(unit []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.arrived, w.units = append(w.arrived, time.Now()), append(w.units, bytes.Clone(unit))
}

func (w *show) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.arrived)
}

// start publishes to a gateway and watches its output.
func (w *show) start(c *clients, gateway string) {
	url := "http://" + gateway + "/live/video-to-video/cam"
	livevideo.PublishPictures(c, url+"/whip?pipeline=noop", livevideo.Pictures{Interval: time.Second / fps, Next: w.next})
	livevideo.WatchPictures(c, url+"-out/whep", w.take)
}

// delays returns the times from sending to arrival in milliseconds, by the numbers in the pictures. The publisher
// repeats the pictures, so a number stands for the last sending before the arrival.
func (w *show) delays(ctx context.Context, s settings, skip int) ([]float64, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	numbers, err := s.numbers(ctx, w.units)
	if err != nil {
		return nil, err
	}
	if len(numbers) != len(w.units) {
		return nil, fmt.Errorf("%d pictures of %d can be decoded", len(numbers), len(w.units))
	}
	var list []float64
	for i := skip; i < len(numbers); i++ {
		at := -1
		for n := numbers[i]; n < len(w.sent) && w.sent[n].Before(w.arrived[i]); n += len(w.pictures) {
			at = n
		}
		if at < 0 {
			return nil, fmt.Errorf("picture %d arrived and was not sent", numbers[i])
		}
		list = append(list, float64(w.arrived[i].Sub(w.sent[at]).Microseconds())/1000)
	}
	return list, nil
}

// gateway starts a gateway in front of orchestrators.
func (s settings) gateway(ctx context.Context, least time.Duration, orchestrators string) (*process, string, error) {
	addr := freeAddress()
	p, err := s.node("-gateway", "-orchAddr", orchestrators, "-httpAddr", addr, "-cliAddr", freeAddress(),
		"-liveMediaAddr", freeAddress(), "-liveMinSegment", least.String())
	if err != nil {
		return nil, "", err
	}
	if err := await(ctx, "the gateway", func() bool {
		status, _, err := do(ctx, http.DefaultClient, "GET", "http://"+addr+"/healthz", "")
		return err == nil && status == http.StatusOK
	}); err != nil {
		p.kill()
		return nil, "", err
	}
	return p, addr, nil
}
