package manager_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/ai/manager"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

var nothingAnswers = fault.New(fault.DockerMissing, "call the engine", "nothing answers")

func (h *host) failEngine(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.engineErr = err
}

// TestTheOldContainerKeepsItsPlaces: until it is gone no other is put next to it,
// and the model says what is the matter.
func TestTheOldContainerKeepsItsPlaces(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := newHost()
		hang := func(on bool) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.hang["a"] = on
		}
		r := begin(t, h, manager.Options{Devices: []manager.Device{{ID: "0"}}, Entries: cold("a", "b")})
		r.job("a")
		hang(true)
		got := make(chan error, 1)
		go func() { got <- r.try("b", time.Hour) }()
		after(10 * time.Minute)
		s := r.state("a", inference.Failed, fault.DockerFailed)
		if s.Reason == "" || s.Offered() {
			t.Errorf("%+v", s)
		}
		if s := r.state("b", inference.Starting, ""); s.Progress != "waiting for a GPU" ||
			h.count(h.created, "b") != 0 {
			t.Errorf("%+v", s)
		}
		if on := r.board.Snapshot(); len(on) != 1 || on[0].About != "llm a" {
			t.Errorf("on the board: %+v", on)
		}
		hang(false)
		if err := <-got; err != nil {
			t.Error(err)
		}
		r.state("a", inference.Evicted, "")
		if h.most["0"] != 1 || !r.board.Healthy() {
			t.Errorf("%d containers at once, %+v", h.most["0"], r.board.Snapshot())
		}
		r.job("a")
		r.end()
	})
}

// TestAWarmModelOutlivesTheEngine: its container ended while the engine was gone.
func TestAWarmModelOutlivesTheEngine(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h, r := two(t)
		h.failEngine(nothingAnswers)
		h.kill("a")
		after(time.Minute)
		if s := r.state("a", inference.Failed, fault.DockerMissing); s.Reason != "its last container cannot be removed "+
			"yet: nothing answers" {
			t.Errorf("%+v", s)
		}
		r.state("b", inference.Ready, "")
		h.failEngine(nil)
		after(time.Minute)
		r.state("a", inference.Ready, "")
		if h.left() != 2 || h.most["0"] != 1 || h.most["1"] != 1 {
			t.Errorf("%d containers, at once %v", h.left(), h.most)
		}
		r.end()
	})
}

// TestStoppingWithoutTheEngine: what cannot be removed is tried until the node's
// time to stop is over, and no longer.
func TestStoppingWithoutTheEngine(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		for _, away := range []time.Duration{20 * time.Second, time.Hour} {
			h, r := two(t)
			h.failEngine(nothingAnswers)
			h.kill("a") // this one is being removed when the node stops
			after(5 * time.Minute)
			begun := time.Now()
			r.cancel()
			synctest.Wait()
			back := time.AfterFunc(away, func() { h.failEngine(nil) })
			if err := <-r.done; err != nil {
				t.Error(err)
			}
			took := time.Since(begun)
			switch lost := r.log.count("the node's next start tries again"); {
			case away == time.Hour && (took > r.m.StopGrace() || lost != 2 || h.left() != 2):
				t.Errorf("took %v, %d told as left, %d left", took, lost, h.left())
			case away < time.Hour && (lost != 0 || h.left() != 0):
				t.Errorf("took %v, %d told as left, %d left", took, lost, h.left())
			}
			back.Stop()
			synctest.Wait()
		}
	})
}
