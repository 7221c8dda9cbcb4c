package livepay

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/test/byoc"
)

// capabilityHandover is a node with a request of a capability in progress, whose books another process has taken over.
type capabilityHandover struct {
	*capabilityRig
	// release has the capability answer.
	release  func()
	answered chan byoc.Answer
}

const lastingPath = "/process/request/run"

// newCapabilityHandover has a gateway pay for so many seconds, begin a request and a stream, and another process take
// over after two and a half.
func newCapabilityHandover(t *testing.T, paid int64) *capabilityHandover {
	t.Helper()
	begun, released := make(chan struct{}), make(chan struct{})
	r := &capabilityHandover{newCapabilityRig(t), sync.OnceFunc(func() { close(released) }), make(chan byoc.Answer, 1)}
	t.Cleanup(r.release)
	r.worker.Working = func(q *http.Request) {
		if q.URL.Path == "/run" {
			begun <- struct{}{}
			select {
			case <-released:
			case <-q.Context().Done():
			}
		}
	}
	r.is("a stream", r.run(r.Client, "/ai/stream/start", byoc.Job{ID: "s", Request: "{}", Parameters: "{}",
		Capability: "cap", Timeout: 60}, r.Paid("cap", paid)), http.StatusOK, "")
	go func() { r.answered <- r.run(r.Client, lastingPath, capabilityJob(), "") }()
	<-begun
	r.later(2500 * time.Millisecond)
	if err := r.listener.Capabilities.HandOver(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.listener.EndWork()
	r.await("the stream's end", func() bool { return r.listener.Capabilities.Streams() == 0 })
	r.charged(6)
	return r
}

// charged waits until the books have so many seconds of both.
func (r *capabilityHandover) charged(seconds int64) {
	r.t.Helper()
	r.await("what is due of both", func() bool { _, units, _ := r.account(r.Client); return units == seconds })
}

// answer is that of the request.
func (r *capabilityHandover) answer() (a byoc.Answer) {
	r.t.Helper()
	r.await("the request's answer", func() bool {
		select {
		case a = <-r.answered:
			return true
		default:
			return false
		}
	})
	return a
}

// takeOver is the successor: it opens the books, and charges for what goes on in this process.
func (r *capabilityHandover) takeOver() {
	r.kill()
	charges := make(chan orchestrate.LateCharge, 1024)
	var wg sync.WaitGroup
	wg.Go(func() {
		for c := range charges {
			if !r.orch.ChargeLate(context.Background(), &c) {
				r.listener.Capabilities.CutLate([]uint64{c.ID})
			}
		}
	})
	r.listener.Capabilities.ChargeLate(func(all []orchestrate.LateCharge) {
		for _, c := range all {
			charges <- c
		}
	})
	r.t.Cleanup(func() {
		r.listener.Capabilities.EndLate()
		close(charges)
		wg.Wait()
	})
}

// TestAHandoverOfCapabilityWork: a request goes on when another process has taken over. What it has taken until then is
// charged before that process gets the books, and what it takes from then on by that process, to the second. Streams
// end, and nothing new begins.
func TestAHandoverOfCapabilityWork(t *testing.T) {
	t.Parallel()
	r := newCapabilityHandover(t, 90)
	r.later(time.Minute)
	r.is("a new request", r.run(r.Client, lastingPath, capabilityJob(), ""), http.StatusServiceUnavailable, "")
	r.takeOver()
	r.charged(66)
	r.later(1500 * time.Millisecond)
	r.release()
	a := r.answer()
	r.is("the request", a, http.StatusOK, "")
	r.charged(67)
	r.agrees("the request", a.Header.Get("Livepeer-Balance"), 67)
}

// TestAHandedOverRequestIsPaid: a request that its gateway's account does not pay for in the new process is cut there,
// and one for which no process charges any more.
func TestAHandedOverRequestIsPaid(t *testing.T) {
	t.Parallel()
	t.Run("an account that is used up", func(t *testing.T) {
		t.Parallel()
		r := newCapabilityHandover(t, 90)
		r.takeOver()
		r.later(5 * time.Minute)
		a := r.answer()
		r.is("the request", a, http.StatusBadRequest, insufficient)
		if _, units, left := r.account(r.Client); left.Sign() > 0 || units < 90 || units > 95 {
			t.Errorf("%d seconds are charged, %s are left", units, left)
		}
	})
	t.Run("a successor that is gone", func(t *testing.T) {
		t.Parallel()
		r := newCapabilityHandover(t, 90)
		r.listener.Capabilities.EndLate()
		r.is("the request", r.answer(), http.StatusBadRequest, insufficient)
	})
}
