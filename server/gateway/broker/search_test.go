package broker_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/broker"
	"github.com/tuttinode/tutti/server/rpc"
)

// atOnce is how many names that no orchestrator offered yet are looked for at once, inLine
// how many wait alongside them.
const atOnce, queued = 16, 256

// named is a job for a model that no orchestrator has.
func named(i int) *inference.Job {
	job := chat()
	job.Model.ID = fmt.Sprintf("nobody/has-%d", i)
	return job
}

// slow holds discoveries of all models but llm until free is called.
func (o *orchestrator) slow(t testing.TB) (free func()) {
	released := make(chan struct{})
	free = sync.OnceFunc(func() { close(released) })
	t.Cleanup(free)
	o.beforeAnswer(func(ctx context.Context, req *rpc.OrchestratorRequest) error {
		per := req.GetCapabilities().GetConstraints().GetPerCapability()
		if _, ok := per[uint32(capability.LLM)].GetModels()[llm.ID]; ok {
			return nil
		}
		select {
		case <-released:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	return free
}

// searching waits until as many discoveries as may are under way.
func (o *orchestrator) searching(t testing.TB) {
	t.Helper()
	eventually(t, "names are looked for", func() bool { n, _ := o.counts(); return n == atOnce })
}

func TestAbandonedNamesAreNotLookedFor(t *testing.T) {
	t.Parallel()
	o := fake(t, "a")
	free := o.slow(t)
	s := start(t, brief, o)
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	var wg sync.WaitGroup
	for i := range 10 * atOnce {
		wg.Go(func() {
			if _, err := s.Do(ctx, named(i), broker.Hint{}); !errors.Is(err, fault.Canceled) {
				t.Errorf("%v", err)
			}
		})
	}
	o.searching(t)
	leave()
	wg.Wait()
	free()
	if _, err := s.Do(t.Context(), named(-1), broker.Hint{}); !errors.Is(err, fault.ModelUnknown) {
		t.Errorf("%v", err)
	}
	if asked, _ := o.counts(); asked != atOnce+1 {
		t.Errorf("%d discoveries, want those under way and the one that is waited for", asked)
	}
}

func TestASearchRunsWhileAJobWaits(t *testing.T) {
	t.Parallel()
	o := fake(t, "a")
	free := o.slow(t)
	s := start(t, brief, o)
	var wg sync.WaitGroup
	for i := range atOnce {
		wg.Go(func() { _, _ = s.Do(t.Context(), named(i), broker.Hint{}) })
	}
	o.searching(t)
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	wg.Go(func() {
		if _, err := s.Do(t.Context(), named(atOnce), broker.Hint{}); !errors.Is(err, fault.ModelUnknown) {
			t.Errorf("the client that stays: %v", err)
		}
	})
	left := make(chan error)
	go func() { _, err := s.Do(ctx, named(atOnce), broker.Hint{}); left <- err }()
	leave()
	if err := <-left; !errors.Is(err, fault.Canceled) {
		t.Errorf("the client that leaves: %v", err)
	}
	free()
	wg.Wait()
}

func TestSearchesAreBounded(t *testing.T) {
	t.Parallel()
	o := fake(t, "a")
	free := o.slow(t)
	s := start(t, brief, o)
	const all = 2 * (atOnce + queued)
	var refused, unknown atomic.Int64
	var wg sync.WaitGroup
	for i := range all {
		wg.Go(func() {
			switch _, err := s.Do(t.Context(), named(i), broker.Hint{}); {
			case errors.Is(err, fault.SearchesFull):
				refused.Add(1)
			case errors.Is(err, fault.ModelUnknown):
				unknown.Add(1)
			default:
				t.Errorf("%v", err)
			}
		})
	}
	eventually(t, "those over the bound are refused", func() bool { return refused.Load() == all/2 })
	free()
	wg.Wait()
	if unknown.Load() != all/2 {
		t.Errorf("%d got an answer", unknown.Load())
	}
	if fault.ClassOf(fault.SearchesFull) != fault.Busy {
		t.Error("it is worth trying again")
	}
	if _, err := s.Do(t.Context(), named(-1), broker.Hint{}); !errors.Is(err, fault.ModelUnknown) {
		t.Errorf("afterwards: %v", err)
	}
}

func TestAModelThatIsKnownDoesNotWaitBehindNames(t *testing.T) {
	t.Parallel()
	for name, meet := range map[string]func(*testing.T, *setup){
		"by use": func(t *testing.T, s *setup) {
			s.mustAsk(t)
			had := *s.list.Load()
			s.use(fake(t, "other").lacks())
			eventually(t, "no orchestrator has it any more", func() bool {
				s.clock.Forward(2 * time.Hour)
				_, _, err := s.ask(t.Context(), chat(), broker.Hint{})
				return err != nil
			})
			s.list.Store(&had)
			s.clock.Forward(time.Minute)
		},
		"by the list": func(t *testing.T, s *setup) {
			if _, err := s.Models(t.Context()); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := fake(t, "a")
			s := start(t, brief, o)
			meet(t, s)
			free := o.slow(t)
			const all = 600 // more than there are models to remember
			var refused atomic.Int64
			var wg sync.WaitGroup
			for i := range all {
				wg.Go(func() {
					if _, err := s.Do(t.Context(), named(i), broker.Hint{}); errors.Is(err, fault.SearchesFull) {
						refused.Add(1)
					}
				})
			}
			eventually(t, "the line is full", func() bool { return refused.Load() == all-atOnce-queued })
			s.mustAsk(t)
			free()
			wg.Wait()
		})
	}
}

// Names cost no goroutine besides that of their request.
func TestQueuedNamesCostLittle(t *testing.T) {
	o := fake(t, "a")
	free := o.slow(t)
	s := start(t, brief, o)
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	var wg sync.WaitGroup
	for i := range atOnce {
		wg.Go(func() { _, _ = s.Do(ctx, named(i), broker.Hint{}) })
	}
	o.searching(t)
	before := runtime.NumGoroutine()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for i := range 2000 {
		if _, err := s.Do(gone, named(atOnce+i), broker.Hint{}); !errors.Is(err, fault.Canceled) {
			t.Fatal(err)
		}
	}
	if more := runtime.NumGoroutine() - before; more > 100 {
		t.Errorf("%d goroutines more than before", more)
	}
	free()
	wg.Wait()
}
