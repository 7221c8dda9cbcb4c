package manager_test

import (
	"context"
	"testing"
	"time"

	"github.com/tuttinode/tutti/ai/manager"
	"github.com/tuttinode/tutti/core/inference"
)

// tryAs is rig.try for a party.
func (r *rig) tryAs(party, model string, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(r.t.Context(), limit)
	defer cancel()
	slot, err := r.m.Reserve(ctx, llm(model), party)
	if err != nil {
		return err
	}
	defer slot.Release()
	reply, err := slot.Run(ctx, &inference.Job{Model: llm(model)})
	if err != nil {
		return err
	}
	return reply.Body.Close()
}

// TestAStrangerUnloadsNoModelInUse: a party that asks for another model whenever the one in use
// pauses has the node load it for a small part of the time; the other party is served meanwhile.
func TestAStrangerUnloadsNoModelInUse(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		const loads, lasts = 30 * time.Second, 20 * time.Minute
		h := newHost()
		h.programs["used"] = &program{slots: 1, loads: loads}
		h.programs["other"] = &program{slots: 1, loads: loads}
		r := begin(t, h, manager.Options{Entries: cold("used", "other")})
		if err := r.tryAs("client", "used", time.Minute); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithTimeout(t.Context(), lasts)
		defer stop()
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for ctx.Err() == nil {
				_ = r.tryAs("stranger", "other", 10*time.Minute)
				<-time.After(15 * time.Second) // one job for each time that it is loaded
			}
		}()
		served := 0
		for start := time.Now(); time.Since(start) < lasts; served++ {
			after(2 * time.Second)
			if err := r.tryAs("client", "used", 10*time.Minute); err != nil {
				t.Errorf("after %d jobs: %v", served, err)
			}
		}
		<-ended
		// At two seconds each they would be 600.
		if loaded := h.count(h.created, "used"); served < 300 || loaded > 10 {
			t.Errorf("%d jobs were served, and the model was loaded %d times", served, loaded)
		}
		r.end()
	})
}

// TestAModelThatPausesMakesRoom: a model that is not used for some seconds, or by the same party
// alone, is unloaded for another one as soon as that is requested.
func TestAModelThatPausesMakesRoom(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := newHost()
		h.programs["a"] = &program{slots: 1, loads: 30 * time.Second}
		r := begin(t, h, manager.Options{Entries: cold("a", "b", "c")})
		took := func(party, model string) time.Duration {
			start := time.Now()
			if err := r.tryAs(party, model, time.Minute); err != nil {
				t.Error(err)
			}
			return time.Since(start)
		}
		took("one", "a")
		if d := took("one", "b"); d > time.Second {
			t.Errorf("the party's own other model took %s", d)
		}
		took("one", "a")
		after(4 * time.Second)
		if d := took("two", "c"); d < 5*time.Second || d > 8*time.Second {
			t.Errorf("another party's model took %s", d)
		}
		took("one", "a")
		after(time.Minute)
		if d := took("two", "c"); d > time.Second {
			t.Errorf("after a minute without a job it took %s", d)
		}
		r.end()
	})
}

// TestAModelInUseMakesRoomInTheEnd: a party that never pauses keeps its model for a few times as
// long as loading took, and no longer.
func TestAModelInUseMakesRoomInTheEnd(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := newHost()
		h.programs["a"] = &program{slots: 1, loads: 30 * time.Second}
		r := begin(t, h, manager.Options{Entries: cold("a", "b")})
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for ctx.Err() == nil {
				_ = r.tryAs("one", "a", 10*time.Minute)
				<-time.After(time.Second)
			}
		}()
		after(40 * time.Second)
		start := time.Now()
		if err := r.tryAs("two", "b", 10*time.Minute); err != nil {
			t.Error(err)
		}
		if took := time.Since(start); took < time.Minute || took > 3*time.Minute {
			t.Errorf("it took %s", took)
		}
		stop()
		<-ended
		r.end()
	})
}
