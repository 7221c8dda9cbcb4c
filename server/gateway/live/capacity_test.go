package live_test

import (
	"context"
	"log/slog"
	"math/big"
	"testing"
	"time"

	"github.com/tuttinode/tutti/server/gateway/live"
	"github.com/tuttinode/tutti/server/gateway/upstream"
	"github.com/tuttinode/tutti/test/livevideo"
)

// A gateway knows what its orchestrators have for live video; one that does not answer is left out.
func TestCapacityReport(t *testing.T) {
	t.Parallel()
	o := livevideo.New(t)
	client := upstream.New(upstream.Options{Now: time.Now})
	t.Cleanup(client.Close)
	r := &live.CapacityReport{Interval: time.Hour, Network: &live.Upstream{
		Client: client, Version: "0.9.1", Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Orchestrators: func(context.Context) ([]string, error) { return []string{o.URI(), "https://127.0.0.1:1"}, nil },
	}}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- r.Run(ctx, func() {}) }()
	until(t, "a report", func() bool { return len(r.Latest()) > 0 })
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if got := r.Latest(); len(got) != 1 || got[0].Model.ID != "noop" || got[0].URI != o.URI() || got[0].Capacity != 4 ||
		got[0].InUse != 0 {
		t.Error(got)
	}
}

// counts is a recorder.
type counts struct{ calls chan string }

func (c counts) Attempt()       { c.calls <- "attempt" }
func (c counts) Price(*big.Rat) {}
func (c counts) FirstSegment(d time.Duration) {
	c.calls <- map[bool]string{true: "first", false: "never"}[d > 0]
}
func (c counts) Transport(received, _ uint64) {
	if received > 1000 {
		select {
		case c.calls <- "bytes":
		default:
		}
	}
}

// What a stream does is counted.
func TestStreamsAreCounted(t *testing.T) {
	t.Parallel()
	o := livevideo.New(t)
	all := counts{calls: make(chan string, 1000)}
	g := newGateway(t, func(opt *live.Options) { opt.Recorder = all }, o)
	livevideo.Publish(t, g.url+"cam/whip?pipeline=noop")
	seen := make(map[string]int)
	late := time.After(20 * time.Second)
	for seen["attempt"]+seen["first"] < 2 || seen["bytes"] == 0 {
		select {
		case c := <-all.calls:
			seen[c]++
		case <-late:
			t.Fatal(seen)
		}
	}
	if seen["attempt"] != 1 || seen["first"] != 1 {
		t.Error(seen)
	}
}
