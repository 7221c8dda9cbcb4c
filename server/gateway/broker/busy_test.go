package broker_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/broker"
)

// asks does a job for a client.
func (s *setup) asks(t *testing.T, client string) (string, error) {
	t.Helper()
	job := chat()
	job.Client = client
	text, _, err := s.ask(t.Context(), job, broker.Hint{})
	return text, err
}

// An orchestrator that says when to come back is not asked before, and the client gets
// the same. Other clients are served: it may have been too busy for one long prompt alone.
func TestRetryAfterIsObeyedAndPassedOn(t *testing.T) {
	t.Parallel()
	for name, refusal := range map[string]func(w http.ResponseWriter){
		"own": func(w http.ResponseWriter) {
			refuse(w, http.StatusServiceUnavailable, "RunnerBusy", "the runner is busy")
		},
		"foreign": func(w http.ResponseWriter) { http.Error(w, "too many requests", http.StatusTooManyRequests) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := fake(t, "a")
			if name == "foreign" {
				o.foreign()
			}
			o.does(func(n int, w http.ResponseWriter, _ *http.Request) {
				if n > 1 {
					answer(w, "a")
					return
				}
				w.Header().Set("Retry-After", "30")
				refusal(w)
			})
			s := start(t, brief, o)
			for i := range 3 {
				_, err := s.asks(t, "long")
				after, ok := fault.RetryAfter(err)
				if !errors.Is(err, fault.ModelRateLimited) || !ok || after > 30*time.Second || after < 20*time.Second {
					t.Fatalf("request %d: %v, come back after %v", i, err, after)
				}
				if _, jobs := o.counts(); jobs != 1 {
					t.Fatalf("request %d: it was asked %d times", i, jobs)
				}
			}
			if text, err := s.asks(t, "other"); err != nil || text != `{"a":1}` {
				t.Errorf("another client: %q %v", text, err)
			}
			s.clock.Forward(31 * time.Second)
			if text, err := s.asks(t, "long"); err != nil || text != `{"a":1}` {
				t.Errorf("after the time: %q %v", text, err)
			}
			if _, jobs := o.counts(); jobs != 3 {
				t.Errorf("it was asked %d times", jobs)
			}
		})
	}
}

// A time within the window is waited for, and an orchestrator that is not busy serves at once.
func TestRetryAfterAmongOthers(t *testing.T) {
	t.Parallel()
	busy := func(n int, w http.ResponseWriter, _ *http.Request) {
		if n > 1 {
			answer(w, "a")
			return
		}
		w.Header().Set("Retry-After", "1")
		refuse(w, http.StatusServiceUnavailable, "RunnerBusy", "the runner is busy")
	}
	o := fake(t, "a").does(busy)
	s := start(t, nil, o)
	text, err := s.asks(t, "one")
	if _, jobs := o.counts(); err != nil || text != `{"a":1}` || jobs != 2 {
		t.Errorf("%q %v after %d jobs", text, err, jobs)
	}
	o, spare := fake(t, "a").does(busy), fake(t, "b").cold()
	s = start(t, brief, o, spare)
	if text, err := s.asks(t, "one"); err != nil || text != `{"b":1}` {
		t.Errorf("%q %v", text, err)
	}
}
