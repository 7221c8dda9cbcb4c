package endpoint

import (
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// hollow answers the chain ID and nothing else.
func hollow(n *fakeNode) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, r *http.Request) bool {
		body := readBody(r)
		if strings.Contains(string(body), "eth_chainId") {
			_, _ = w.Write(n.respond(body))
			return true
		}
		w.WriteHeader(http.StatusServiceUnavailable)
		return true
	}
}

// changes counts what the board logs of a code.
type changes struct{ set, cleared atomic.Int32 }

func (c *changes) Write(line []byte) (int, error) {
	if !strings.Contains(string(line), string(fault.RPCGarbage)) {
		return len(line), nil
	}
	if strings.Contains(string(line), "cleared") {
		c.cleared.Add(1)
	} else {
		c.set.Add(1)
	}
	return len(line), nil
}

// An endpoint of which only the chain ID works is one problem, which ends when
// something else works.
func TestChainIDAloneEndsNoTrouble(t *testing.T) {
	t.Parallel()
	n := newFakeNode(t)
	n.whole = hollow(n)
	logged := &changes{}
	board := health.New(slog.New(slog.NewTextHandler(logged, nil)), time.Now, nil)
	p := poolOf(t, func(o *Options) { o.Board = board; o.PollInterval = 20 * time.Millisecond }, n)
	running(t, p)
	trips := func() int {
		r := p.remotes[0]
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.trips
	}
	eventually(t, "the breaker opens again and again", func() bool {
		r := p.remotes[0]
		r.mu.Lock()
		r.until = time.Time{}
		r.mu.Unlock()
		r.nudge()
		return trips() >= 4
	})
	if set, cleared := logged.set.Load(), logged.cleared.Load(); set != 1 || cleared != 0 {
		t.Errorf("the condition was set %d times and cleared %d times", set, cleared)
	}
	n.set(func() { n.whole = nil })
	p.remotes[0].mu.Lock()
	p.remotes[0].until = time.Time{}
	p.remotes[0].mu.Unlock()
	eventually(t, "all is well", func() bool { return board.Healthy() && trips() == 0 })
}

// The rests grow although the chain ID is answered after each of them.
func TestRestsGrowWhileTheChainIDIsRight(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		only := &scripted{}
		p := scriptedPool(t, only)
		only.broken = &failure{kind: badStatus, name: "x", detail: "HTTP 503", status: 503}
		for range failureThreshold {
			_, _ = p.GasPrice(t.Context())
		}
		for _, want := range []time.Duration{1, 2, 4, 8, 16, 32, 60, 60} {
			s := p.Status().Endpoints[0]
			if rest := time.Until(s.Until); rest != want*time.Second {
				t.Fatalf("rests for %v, want %v", rest, want*time.Second)
			}
			<-time.After(want * time.Second)
			_, _ = p.GasPrice(t.Context())
		}
	})
}
