package gateway_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

func TestIdleStreamEnds(t *testing.T) {
	t.Parallel()
	o := newFake(t)
	n := start(t, []string{o.uri})
	n.push("/live/show/0.ts", media).want(t, media)
	n.settled()
	n.clock.Forward(59 * time.Second)
	if status, _, _ := n.get("/stream/show.m3u8"); status != http.StatusOK {
		t.Fatalf("the stream is gone too early: %d", status)
	}
	if len(o.endedSessions()) != 0 {
		t.Fatal("the session is ended too early")
	}
	n.clock.Forward(2 * time.Second)
	wait(t, "the session's end", func() bool { return slices.Equal(o.endedSessions(), []string{"s1"}) })
	_, list, _ := n.get("/stream/show/source.m3u8")
	if !strings.Contains(list, "#EXT-X-ENDLIST") {
		t.Errorf("playlist:\n%s", list)
	}
	n.clock.Forward(11 * time.Second)
	wait(t, "the window's end", func() bool {
		status, _,
			_ := n.get("/stream/show.m3u8")
		return status == http.StatusNotFound
	})
	if n.events.count("ended show") != 1 {
		t.Error("StreamEnded")
	}
}

func TestStopEndsSessions(t *testing.T) {
	t.Parallel()
	o := newFake(t)
	n := start(t, []string{o.uri})
	n.push("/live/show/0.ts", media).want(t, media)
	if err := n.stop(); err != nil {
		t.Fatal(err)
	}
	if got := o.endedSessions(); !slices.Equal(got, []string{"s1"}) {
		t.Errorf("ended %v", got)
	}
}

func TestDrain(t *testing.T) {
	t.Parallel()
	o := newFake(t)
	n := start(t, []string{o.uri})
	r, w := io.Pipe()
	got := make(chan *answer, 1)
	go func() {
		a, err := n.tryPush(context.Background(), "/live/show/0.ts", r)
		if err != nil {
			t.Error(err)
		}
		got <- a
	}()
	if _, err := w.Write(media[:8]); err != nil {
		t.Fatal(err)
	}
	wait(t, "the push to be in the gateway", func() bool { return n.events.count("created") == 1 })
	drained := make(chan error, 1)
	go func() { drained <- n.g.Drain(context.Background()) }()
	wait(t, "the drain", func() bool { status, _, _ := n.get("/healthz"); return status == http.StatusServiceUnavailable })
	n.push("/live/show/1.ts", media).wantFault(t, http.StatusServiceUnavailable, fault.Draining)
	select {
	case <-drained:
		t.Fatal("drained with a segment in flight")
	default:
	}
	if _, err := w.Write(media[8:]); err != nil {
		t.Fatal(err)
	}
	w.Close()
	(<-got).want(t, media)
	if err := <-drained; err != nil {
		t.Fatal(err)
	}
	if len(o.endedSessions()) != 1 {
		t.Error("the orchestrator does not know that the gateway is drained")
	}
	if status, _, _ := n.get("/stream/show.m3u8"); status != http.StatusOK {
		t.Error("players are not served while draining")
	}
}

func TestClientGoesAway(t *testing.T) {
	t.Parallel()
	o := newFake(t)
	n := start(t, []string{o.uri})
	o.set(behavior{resultHang: true})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := n.tryPush(ctx, "/live/show/0.ts", bytes.NewReader(media))
		ended <- err
	}()
	wait(t, "the segment to be at the orchestrator", func() bool { return o.count(&o.hanging) == 1 })
	cancel()
	if err := <-ended; err == nil {
		t.Fatal("the client did not go away")
	}
	wait(t, "the upstream request's end", func() bool { return o.count(&o.canceled) == 1 })
	wait(t, "the failure", func() bool { return n.events.count("failed Canceled") == 1 })
	// The orchestrator is not to blame.
	o.set(behavior{})
	n.push("/live/show/1.ts", media).want(t, media)
}

func TestClientThatDoesNotWait(t *testing.T) {
	t.Parallel()
	o := newFake(t)
	n := start(t, []string{o.uri})
	o.set(behavior{resultHang: true})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := n.tryPush(ctx, "/live/show/0.ts", bytes.NewReader(media), "Accept", "*/*")
		ended <- err
	}()
	wait(t, "the segment to be at the orchestrator", func() bool { return o.count(&o.hanging) == 1 })
	cancel()
	<-ended
	o.set(behavior{})
	close(o.quit) // the orchestrator answers now, with nothing: the gateway tries again
	wait(t, "the segment for players", func() bool {
		status, _,
			_ := n.get("/stream/show.m3u8")
		return status == http.StatusOK
	})
}
