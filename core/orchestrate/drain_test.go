package orchestrate_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/orchestrate"
)

// pass lets the time of a synctest bubble pass.
func pass(d time.Duration) { <-time.After(d) }

func live(o *orchestrate.Options) { o.Now = time.Now }

func TestDrainOfAnIdleNodeIsImmediate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n, start := newNode(t, live), time.Now()
		if err := n.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took != 0 {
			t.Errorf("took %s", took)
		}
		_, err := n.Offer(t.Context(), orchestrate.OfferRequest{})
		wantCode(t, err, fault.Draining)
	})
}

// TestDrain follows a stop with one stream running, second by second.
func TestDrain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := newNode(t, live)
		running, fresh := n.token(), n.token()
		n.send(running)
		drained := make(chan time.Time, 1)
		start := time.Now()
		go func() {
			if err := n.Drain(t.Context()); err != nil {
				t.Error(err)
			}
			drained <- time.Now()
		}()
		synctest.Wait()

		// New sessions are refused, the one that is here goes on.
		_, err := n.Admit(t.Context(), request(fresh))
		wantCode(t, err, fault.Draining)
		_, err = n.Offer(t.Context(), orchestrate.OfferRequest{})
		wantCode(t, err, fault.Draining)
		n.send(running)

		// A segment that arrives before the node stops taking segments is finished.
		pass(7 * time.Second)
		n.fake.Latency = 5 * time.Second
		seg := n.admit(running)
		go func() {
			defer seg.Close()
			if _, err := seg.Transcode(t.Context(), nil); err != nil {
				t.Error(err)
			}
		}()
		pass(2 * time.Second)
		_, err = n.Admit(t.Context(), request(running))
		wantCode(t, err, fault.Draining)

		// Its renditions are waited for until they are fetched.
		pass(4 * time.Second)
		synctest.Wait()
		select {
		case <-drained:
			t.Fatal("stopped before the renditions were fetched")
		default:
		}
		for _, p := range ladder {
			if _, err := n.Result(orchestrate.Path{Session: running.Session, Dir: p.Name, Number: 7,
				Format: p.Format}); err != nil {
				t.Error(err)
			}
		}
		if took := (<-drained).Sub(start); took != 13*time.Second {
			t.Errorf("drained after %s", took)
		}
	})
}

func TestDrainEndsWithTheStreams(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := newNode(t, live)
		tok := n.token()
		n.send(tok)
		pass(5 * time.Second)
		start := time.Now()
		done := make(chan error, 1)
		go func() { done <- n.Drain(t.Context()) }()
		synctest.Wait()
		if err := n.EndSession(tok); err != nil {
			t.Fatal(err)
		}
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took != 0 {
			t.Errorf("waited %s although nothing was left", took)
		}
	})
}

func TestDrainCutShort(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		n := newNode(t, live)
		n.fake.On = func(context.Context, int, *core.TranscodeJob) error { <-release; return nil }
		tok := n.token()
		finished := make(chan struct{})
		go func() { defer close(finished); n.send(tok) }()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 6*time.Second)
		defer cancel()
		start := time.Now()
		if err := n.Drain(ctx); err == nil {
			t.Error("said to be drained with a segment in hand")
		}
		if took := time.Since(start); took != 6*time.Second {
			t.Errorf("took %s", took)
		}
		close(release)
		<-finished
	})
}
