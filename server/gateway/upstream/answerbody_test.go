package upstream_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// TestWhatCameOfAnAnswer: an answer counts as work as far as its reader found it good, and
// one that its reader says nothing of may have been work.
func TestWhatCameOfAnAnswer(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		given []inference.Delivery
		want  int64
		came  int64
	}{
		"whole":              {[]inference.Delivery{{How: inference.Complete}}, 256, 0},
		"short":              {[]inference.Delivery{{How: inference.Partial, Units: 64}}, 64, 0},
		"broken in between":  {[]inference.Delivery{{How: inference.Faulty, Units: 7}}, 0, 0},
		"nothing in it":      {[]inference.Delivery{{How: inference.Faulty}}, 0, 0},
		"more than was paid": {[]inference.Delivery{{How: inference.Partial, Units: 1000}}, 256, 0},
		"less than nothing":  {[]inference.Delivery{{How: inference.Partial, Units: -1}}, 0, 0},
		"client left":        {[]inference.Delivery{{How: inference.ClientLeft, Units: 9}}, -256, 9},
		"the first counts":   {[]inference.Delivery{{How: inference.Faulty}, {How: inference.Complete}}, 0, 0},
		"nothing said":       {nil, -256, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := server(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				io.WriteString(w, "{}")
			})
			d := &paymentTerms{header: "AQID"}
			c := client(t, upstream.Options{Payments: payer{terms: d}})
			reply, err := c.Submit(t.Context(), terms(t, c, s.URL, ""), job())
			if err != nil {
				t.Fatal(err)
			}
			io.Copy(io.Discard, reply.Body)
			for _, g := range row.given {
				reply.Deliver(g)
			}
			reply.Body.Close()
			d.mu.Lock()
			defer d.mu.Unlock()
			if len(d.received) != 1 || d.received[0] != row.want || row.want < 0 && d.came[0] != row.came {
				t.Errorf("received %v after %v, want %d after %d", d.received, d.came, row.want, row.came)
			}
		})
	}
}

// TestReadsOfAnAnswer: errors say whether the orchestrator or the client ended it.
func TestReadsOfAnAnswer(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		ends func(cancel func(), late *endable)
		want fault.Code
	}{
		"broken off":  {func(func(), *endable) {}, fault.CompletionBroken},
		"client left": {func(cancel func(), _ *endable) { cancel() }, fault.Canceled},
		"too late":    {func(_ func(), e *endable) { e.late.Store(true) }, fault.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := server(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				io.WriteString(w, "{")
				http.NewResponseController(w).Flush()
				panic(http.ErrAbortHandler)
			})
			c := client(t, upstream.Options{})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ending := &endable{Context: ctx}
			reply, err := c.Submit(ending, terms(t, c, s.URL, ""), job())
			if err != nil {
				t.Fatal(err)
			}
			defer reply.Body.Close()
			row.ends(cancel, ending)
			if _, err := io.ReadAll(reply.Body); !errors.Is(err, row.want) {
				t.Errorf("%v, want %s", err, row.want)
			}
		})
	}
}

// endable is a context whose deadline is over as soon as late is set.
type endable struct {
	context.Context
	late atomic.Bool
}

func (e *endable) Err() error {
	if e.late.Load() {
		return context.DeadlineExceeded
	}
	return e.Context.Err()
}
