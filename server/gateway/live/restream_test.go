package live_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/server/gateway/live"
	"github.com/tuttinode/tutti/test/coretest"
	"github.com/tuttinode/tutti/test/livevideo"
)

// targets are RTMP servers that count.
type targets struct {
	mu       sync.Mutex
	opened   []string
	pictures int
	closed   int
	fail     bool
}

func (f *targets) open(_ context.Context, address string, sps, pps []byte, _ *live.Sound) (live.Restreamer, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.opened = append(f.opened, address)
	if f.fail || len(sps) == 0 || len(pps) == 0 {
		return nil, errors.New("refused")
	}
	return f, nil
}

func (f *targets) WriteVideo(pts, dts time.Duration, unit [][]byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.pictures++; f.pictures%30 == 0 {
		return errors.New("the connection broke")
	}
	return nil
}

func (f *targets) WriteSound(time.Duration, []byte) error { return nil }

func (f *targets) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed++
	return nil
}

// The result goes to the RTMP server that the publisher names, again after the connection broke, until the end.
func TestTheResultGoesToAnRTMPServer(t *testing.T) {
	o, f := livevideo.New(t), &targets{fail: true}
	g := newGateway(t, func(o *live.Options) {
		o.Restream, o.Limits.OutputAgain = f.open, 10*time.Millisecond
	}, o)
	p := livevideo.Publish(t, g.url+"cam/whip?pipeline=noop&rtmpOutput=rtmp://media.example.org/live/key")
	count := func(what func() bool) func() bool {
		return func() bool {
			f.mu.Lock()
			defer f.mu.Unlock()
			return what()
		}
	}
	until(t, "failed attempts", count(func() bool { return len(f.opened) > 2 }))
	f.mu.Lock()
	f.fail = false
	f.mu.Unlock()
	until(t, "pictures over several connections", count(func() bool { return f.pictures > 70 && f.closed > 1 }))
	p.Close()
	until(t, "the end", func() bool { return g.Streams() == 0 })
	if f.opened[0] != "rtmp://media.example.org/live/key" {
		t.Error(f.opened[0])
	}
}

// Addresses that are none of RTMP, too many, or with credentials are refused.
func TestRefusedOutputs(t *testing.T) {
	g := newGateway(t, nil, livevideo.New(t))
	for _, out := range []string{"http://a/b/c", "rtmp://a", "rtmp://user:secret@a/b/c", "rtmp:///b/c",
		"rtmp://a/b/1,rtmp://a/b/2,rtmp://a/b/3,rtmp://a/b/4"} {
		res, text := livevideo.Do(t, "POST", g.url+"cam/whip?rtmpOutput="+out, "application/sdp", offer)
		if res.StatusCode != 400 || !strings.Contains(text, "Invalid RTMP output") {
			t.Error(out, res.Status, text)
		}
	}
}

// An output that fails again and again has one line; see TestAnOutputThatStopsHasALineAMinute.
func TestAFailingOutputDoesNotFillTheLog(t *testing.T) {
	o, f, log := livevideo.New(t), &targets{fail: true}, &coretest.Log{}
	g := newGateway(t, func(o *live.Options) {
		o.Restream, o.Limits.OutputAgain = f.open, time.Millisecond
		o.Log = slog.New(slog.NewTextHandler(log, nil))
	}, o)
	p := livevideo.Publish(t, g.url+"cam/whip?pipeline=noop&rtmpOutput=rtmp://media.example.org/live/key")
	defer p.Close()
	until(t, "failed attempts", func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		return len(f.opened) >= 5
	})
	if n := len(log.Lines("output stopped")); n != 1 {
		t.Errorf("%d lines", n)
	}
}
