package manager

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/tuttinode/tutti/ai/backend"
	"github.com/tuttinode/tutti/core/fairqueue"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/fetchurl"
	"github.com/tuttinode/tutti/core/inference"
)

// pool holds a model's ready runners and the queue for their slots. It belongs to no
// goroutine: jobs take from it, runners are added and removed.
type pool struct {
	queue *fairqueue.Queue
	now   func() time.Time
	// freed is poked when a job has ended.
	freed func()

	mu      sync.Mutex
	members []*member // guarded by mu
	used    time.Time // when a job last began or ended; guarded by mu
	users   users     // guarded by mu
}

// member is a runner that is ready.
type member struct {
	// name is the runner's name in records: a container, or a server's address.
	name    string
	backend backend.Backend
	// jobFailed is called when a job failed in a way that may be the runner's fault.
	jobFailed func()
	// urls says which URLs in requests the runner may get, resolve looks up their hosts;
	// images fetches for runners that get none.
	urls    fetchurl.Policy
	resolve fetchurl.Resolver
	images  ImageFetcher
	slots   int // guarded by pool.mu
	busy    int // guarded by pool.mu
	// pause tells for how long it gets no jobs; guarded by pool.mu.
	pause busyPause
	// operations are those it supports, refusals those it refused; guarded by pool.mu.
	operations []inference.Operation
	refusals   inference.Refusals
	// attempts are its jobs; lastAnswer is when it last answered a probe; answersWhileBusy
	// means that it answers probes while a job runs. Guarded by pool.mu.
	attempts         map[*attempt]struct{}
	lastAnswer       time.Time
	answersWhileBusy bool
	// owner is its runner. finished, if set, is closed when its last job ends; guarded by
	// pool.mu.
	owner    *runner
	finished chan struct{}
	life     life
}

func newPool(queue int, now func() time.Time, freed func()) *pool {
	return &pool{queue: fairqueue.New(fairqueue.Options{MaxWaiting: queue, Now: now}), now: now, freed: freed}
}

// add adds a ready runner.
func (p *pool) add(m *member) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if m.owner != nil && m.owner.expelled {
		return
	}
	p.members = append(p.members, m)
	p.used = p.now()
	p.resizeQueueLocked()
}

// remove gives a runner no more jobs; its running jobs continue.
func (p *pool) remove(m *member) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.removeLocked(m)
}

// expel permanently removes a runner whose entry was removed, and returns when its jobs
// have finished or ctx ends.
func (p *pool) expel(ctx context.Context, owner *runner) {
	p.mu.Lock()
	owner.expelled = true
	var member *member
	for _, m := range p.members {
		if m.owner == owner {
			member = m
		}
	}
	if member == nil || member.busy == 0 {
		p.removeLocked(member)
		p.mu.Unlock()
		return
	}
	p.removeLocked(member)
	finished := make(chan struct{})
	member.finished = finished
	p.mu.Unlock()
	select {
	case <-finished:
	case <-ctx.Done():
	}
}

// resize updates a runner's operations and slots.
func (p *pool) resize(m *member, slots int, operations []inference.Operation) {
	p.mu.Lock()
	defer p.mu.Unlock()
	m.operations = operations
	if m.slots != slots {
		m.slots = slots
		p.resizeQueueLocked()
	}
}

// removeIdle is remove if the model has no jobs; else it returns false and changes
// nothing. No job can begin meanwhile: the queue has no slots during the check.
func (p *pool) removeIdle(m *member) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queue.Resize(0)
	if s := p.queue.Stats(); s.InUse > 0 || s.Waiting > 0 || m.busy > 0 {
		p.resizeQueueLocked()
		return false
	}
	p.removeLocked(m)
	return true
}

// removeLocked removes a member.
func (p *pool) removeLocked(m *member) {
	for i, have := range p.members {
		if have == m {
			p.members = append(p.members[:i:i], p.members[i+1:]...)
			break
		}
	}
	p.resizeQueueLocked()
}

// resizeQueueLocked sets the queue's number of slots.
func (p *pool) resizeQueueLocked() {
	n := 0
	for _, m := range p.members {
		n += m.slots
	}
	p.queue.Resize(n)
}

// pickRequest is what a job needs of a runner: its owner and the operation. exclude is a
// runner that had the job; the next one must have the same URL policy, for which the
// request was prepared.
type pickRequest struct {
	party   string
	op      inference.Operation
	exclude *member
}

// errAllBusy means that every runner that could do a job is fully used.
var errAllBusy = errors.New("the model's runners that can do it are fully used")

// pick gives a job that holds a slot to the least loaded free runner that supports its
// operation; if none does, to any, which refuses it. The fault is ModelRunnerLost when the
// runners changed meanwhile and none is free, RunnerBusy while all free ones reported that
// they are busy. errAllBusy means that only runners without the operation are free.
func (p *pool) pick(w pickRequest) (*member, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	able := slices.ContainsFunc(p.members, func(m *member) bool { return inference.Does(m.operations, w.op) })
	var best *member
	var busyTime time.Duration
	taken, others := false, false
	for _, m := range p.members {
		switch left := m.pause.remaining(w.party, now); {
		case m == w.exclude || able && !inference.Does(m.operations, w.op):
			others = true
		case w.exclude != nil && m.urls != w.exclude.urls:
		case m.busy >= m.slots:
			taken = true
		case left > 0:
			if busyTime == 0 || left < busyTime {
				busyTime = left
			}
		case best == nil, m.preferredTo(best, w.op, now):
			best = m
		}
	}
	switch {
	case best != nil:
		best.busy++
		best.pause.tried(now)
		best.refusals.Retried(now, w.op)
		p.used = now
		return best, nil
	case taken && others:
		return nil, errAllBusy
	case busyTime > 0:
		f := fault.New(fault.RunnerBusy, opRun, "the model's runner reported that it is busy")
		return nil, fault.After(f, busyTime)
	}
	return nil, fault.New(fault.ModelRunnerLost, opRun, "")
}

// preferredTo reports whether a job goes to m rather than to other: first the one without
// unconfirmed refusals, then the one that did not report busy, then the less loaded one.
// The caller holds pool.mu.
func (m *member) preferredTo(other *member, op inference.Operation, now time.Time) bool {
	if a, b := m.refusals.AskOthersFirst(now, op), other.refusals.AskOthersFirst(now, op); a != b {
		return b
	}
	if a, b := now.Before(m.pause.until), now.Before(other.pause.until); a != b {
		return b
	}
	return m.busy*other.slots < other.busy*m.slots
}

// jobDone ends a job at its runner.
func (p *pool) jobDone(m *member) {
	p.mu.Lock()
	defer p.mu.Unlock()
	m.busy--
	p.used = p.now()
	if m.busy == 0 && m.finished != nil {
		close(m.finished)
		m.finished = nil
	}
}

// idle returns since when the model has no jobs, false while it has.
func (p *pool) idle() (since time.Time, ok bool) {
	s := p.queue.Stats()
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.used, s.InUse == 0 && s.Waiting == 0
}

// acquire waits for a slot.
func (p *pool) acquire(ctx context.Context, party string) (release func(), err error) {
	give, err := p.queue.Acquire(ctx, party)
	if err != nil {
		return nil, err
	}
	p.record(party)
	return func() { p.record(party); give(); p.freed() }, nil
}
