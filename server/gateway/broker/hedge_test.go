package broker_test

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/airouting"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/broker"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// hedging has a broker ask a second orchestrator for each stream whose first one is late. An orchestrator that is
// silent is not looked after in this time.
func hedging(o *broker.Options, _ *upstream.Options) {
	o.HedgeShare, o.Silence = 1, time.Hour
}

func streamed() *inference.Job {
	job := chat()
	job.Stream = true
	return job
}

// warmUp has the orchestrators answer as many streams as it takes to know how long theirs take.
func (s *setup) warmUp(t *testing.T, all ...*orchestrator) {
	t.Helper()
	for _, o := range all {
		hint := wishing(t, airouting.Preferences{}, nil, []*orchestrator{o})
		for range 20 {
			if _, _, err := s.ask(t.Context(), streamed(), hint); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// hangs is a model that stays silent until its client leaves.
func hangs(waiting *atomic.Int64) func(int, http.ResponseWriter, *http.Request) {
	return func(_ int, _ http.ResponseWriter, r *http.Request) {
		waiting.Add(1)
		defer waiting.Add(-1)
		<-r.Context().Done()
	}
}

// A loaded model that is silent for longer than nearly all of its streams loses the stream to another orchestrator,
// and its own attempt ends.
func TestASilentModelIsOvertaken(t *testing.T) {
	t.Parallel()
	a, b := fake(t, "a"), fake(t, "b")
	s := start(t, hedging, a, b)
	s.warmUp(t, a, b)
	var waiting atomic.Int64
	a.does(hangs(&waiting))
	text, answer, err := s.ask(t.Context(), streamed(), wishing(t, airouting.Preferences{}, []*orchestrator{a, b}, nil))
	if err != nil || text != `{"b":1}` || !answer.Hedged || answer.Orchestrator != b.uri {
		t.Errorf("%q %+v %v", text, answer, err)
	}
	if _, jobs := a.counts(); jobs != 21 {
		t.Errorf("the silent one was asked %d times", jobs-20)
	}
	eventually(t, "no job in flight", func() bool { return s.inFlight() == 0 && waiting.Load() == 0 })
}

// Both are silent, and then the second one fails: the first one's answer counts all the same.
func TestTheFirstAnswersAfterAll(t *testing.T) {
	t.Parallel()
	a, b := fake(t, "a"), fake(t, "b")
	s := start(t, hedging, a, b)
	s.warmUp(t, a, b)
	asked := make(chan struct{}, 2)
	var once sync.Once
	slow := func(name string) func(int, http.ResponseWriter, *http.Request) {
		return func(_ int, w http.ResponseWriter, r *http.Request) {
			first := false
			once.Do(func() { first = true })
			if !first {
				asked <- struct{}{}
				http.Error(w, "out of memory", http.StatusInternalServerError)
				return
			}
			select {
			case <-asked:
				answer(w, name)
			case <-r.Context().Done():
			}
		}
	}
	a.does(slow("a"))
	b.does(slow("b"))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	text, answer, err := s.ask(ctx, streamed(), broker.Hint{})
	if err != nil || text != `{"a":1}` && text != `{"b":1}` || !answer.Hedged {
		t.Errorf("%q %+v %v", text, answer, err)
	}
	eventually(t, "no job in flight", func() bool { return s.inFlight() == 0 })
}

// No second orchestrator gets a request without the operator's wish, for an early answer, or beyond the share.
func TestWhatIsNotHedged(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*broker.Options)
		job    *inference.Job
	}{
		"off":            {func(o *broker.Options) { o.HedgeShare = 0 }, streamed()},
		"a whole answer": {func(*broker.Options) {}, chat()},
		"share used up":  {func(o *broker.Options) { o.HedgeShare = 1e-9 }, streamed()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b := fake(t, "a"), fake(t, "b")
			s := start(t, func(o *broker.Options, u *upstream.Options) { hedging(o, u); c.change(o) }, a, b)
			s.warmUp(t, a, b)
			_, doneA := a.counts()
			_, doneB := b.counts()
			var waiting atomic.Int64
			a.does(hangs(&waiting))
			b.does(hangs(&waiting))
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if _, _, err := s.ask(ctx, c.job, broker.Hint{}); err == nil {
				t.Error("an answer of no orchestrator")
			}
			eventually(t, "no job is left", func() bool { return waiting.Load() == 0 })
			_, jobsA := a.counts()
			_, jobsB := b.counts()
			if n := jobsA + jobsB - doneA - doneB; n != 1 {
				t.Errorf("%d orchestrators were asked", n)
			}
		})
	}
}
