package manager

import (
	"testing"
	"time"

	"github.com/tuttinode/tutti/ai/backend"
)

// runnerless stands for a runner that is only counted.
type runnerless struct{ backend.Backend }

func (runnerless) Close() {}

func pooled(t *testing.T, slots ...int) (*pool, []*member) {
	t.Helper()
	p := newPool(4, time.Now, func() {})
	var all []*member
	for _, n := range slots {
		m := &member{backend: runnerless{}, slots: n}
		p.add(m)
		all = append(all, m)
	}
	return p, all
}

// TestOnlyTheIdleLeave: between the look at who may be evicted and its going, a
// job may have come.
func TestOnlyTheIdleLeave(t *testing.T) {
	t.Parallel()
	p, all := pooled(t, 2)
	release, err := p.acquire(t.Context(), "party")
	if err != nil {
		t.Fatal(err)
	}
	if p.removeIdle(all[0]) {
		t.Error("removed while a slot is in use")
	}
	if s := p.line.Stats(); s.Slots != 2 {
		t.Errorf("%+v", s)
	}
	at := p.pick()
	release()
	if p.removeIdle(all[0]) {
		t.Error("removed while a job is at the runner")
	}
	p.put(at)
	if !p.removeIdle(all[0]) {
		t.Error("not removed though idle")
	}
	if s := p.line.Stats(); s.Slots != 0 {
		t.Errorf("%+v", s)
	}
}

func TestPickKeepsToTheSlots(t *testing.T) {
	t.Parallel()
	p, all := pooled(t, 1, 3)
	for range 4 {
		if p.pick() == nil {
			t.Fatal("no room")
		}
	}
	if all[0].busy != 1 || all[1].busy != 3 {
		t.Errorf("%d and %d jobs", all[0].busy, all[1].busy)
	}
	if p.pick() != nil {
		t.Error("a job more than there are slots")
	}
	p.put(all[1])
	if p.pick() != all[1] {
		t.Error("not where there is room")
	}
	p.remove(all[1])
	if p.pick() != nil || p.line.Stats().Slots != 1 {
		t.Error("a job for a runner that was withdrawn")
	}
}
