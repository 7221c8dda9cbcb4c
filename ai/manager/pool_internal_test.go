package manager

import (
	"errors"
	"testing"
	"time"

	"github.com/tuttinode/tutti/ai/backend"

	"github.com/tuttinode/tutti/core/fault"
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

// TestOnlyTheIdleLeave: between the choice of a container to evict and its end, a
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
	if s := p.queue.Stats(); s.Slots != 2 {
		t.Errorf("%+v", s)
	}
	at := picked(p)
	release()
	if p.removeIdle(all[0]) {
		t.Error("removed while a job is at the runner")
	}
	p.jobDone(at)
	if !p.removeIdle(all[0]) {
		t.Error("not removed though idle")
	}
	if s := p.queue.Stats(); s.Slots != 0 {
		t.Errorf("%+v", s)
	}
}

func TestPickKeepsToTheSlots(t *testing.T) {
	t.Parallel()
	p, all := pooled(t, 1, 3)
	for range 4 {
		if picked(p) == nil {
			t.Fatal("no room")
		}
	}
	if all[0].busy != 1 || all[1].busy != 3 {
		t.Errorf("%d and %d jobs", all[0].busy, all[1].busy)
	}
	if picked(p) != nil {
		t.Error("a job more than there are slots")
	}
	p.jobDone(all[1])
	if picked(p) != all[1] {
		t.Error("not where there is room")
	}
	p.remove(all[1])
	if picked(p) != nil || p.queue.Stats().Slots != 1 {
		t.Error("a job for a runner that was withdrawn")
	}
}

// picked is the member that gets the next job, nil for none.
func picked(p *pool) *member {
	m, err := p.pick(pickRequest{party: "client"})
	if err != nil {
		return nil
	}
	return m
}

// A runner that said it is busy is left alone for as long as it said, others are not.
func TestBusyRunnersRest(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0)
	p := newPool(8, func() time.Time { return now }, func() {})
	one, two := &member{slots: 4}, &member{slots: 4}
	p.add(one)
	p.add(two)
	busy := fault.New(fault.RunnerBusy, "", "")
	p.runnerBusy(one, "client", fault.After(busy, 7*time.Second))
	for range 4 {
		if m := picked(p); m != two {
			t.Fatal("a job for a runner that said it is busy")
		}
	}
	_, err := p.pick(pickRequest{party: "client"})
	if after, ok := fault.RetryAfter(err); !errors.Is(err, fault.RunnerBusy) || !ok || after != 7*time.Second {
		t.Errorf("%v, %v", err, after)
	}
	now = now.Add(7 * time.Second)
	if m := picked(p); m != one {
		t.Error("a runner rests longer than it said")
	}
	now = now.Add(busyWindow)
	p.runnerBusy(one, "client", busy)
	if picked(p) != one {
		t.Error("a runner rests for a single refusal")
	}
	p.runnerBusy(one, "client", busy)
	if _, err := p.pick(pickRequest{party: "client"}); !errors.Is(err, fault.RunnerBusy) {
		t.Error(err)
	}
	if now = now.Add(defaultPause); picked(p) != one {
		t.Error("a runner rests longer than a moment, though it did not say until when")
	}
}

// One party that has a runner say that it is busy keeps it from others for moments only:
// a job of another party is tried now and then, and when it is served the rest is over for
// all but that one.
func TestOnePartyMakesNoRunnerRest(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0)
	p := newPool(8, func() time.Time { return now }, func() {})
	m := &member{slots: 8}
	p.add(m)
	busy := fault.After(fault.New(fault.RunnerBusy, "", ""), 5*time.Minute)
	p.runnerBusy(m, "greedy", busy)
	_, err := p.pick(pickRequest{party: "other"})
	if after, ok := fault.RetryAfter(err); !errors.Is(err, fault.RunnerBusy) || !ok || after != retryOtherParty {
		t.Errorf("at once: %v, %v", err, after)
	}
	now = now.Add(retryOtherParty)
	if _, err := p.pick(pickRequest{party: "greedy"}); !errors.Is(err, fault.RunnerBusy) {
		t.Errorf("the party that it said so to: %v", err)
	}
	idle := &member{slots: 1}
	p.add(idle)
	if got, err := p.pick(pickRequest{party: "other"}); got != idle {
		t.Fatalf("a runner that rests is tried alongside one that does not: %v", err)
	}
	if got, err := p.pick(pickRequest{party: "other"}); got != m {
		t.Fatal(err)
	}
	if _, err := p.pick(pickRequest{party: "third"}); !errors.Is(err, fault.RunnerBusy) {
		t.Errorf("a second one at the same time: %v", err)
	}
	p.worked(m, "", true)
	if _, err := p.pick(pickRequest{party: "third"}); err != nil {
		t.Errorf("after a job was served: %v", err)
	}
	if _, err := p.pick(pickRequest{party: "greedy"}); !errors.Is(err, fault.RunnerBusy) {
		t.Errorf("the party that it said so to: %v", err)
	}
}
