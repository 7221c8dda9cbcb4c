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

// pool is a model's runners that are ready, and the line in front of their
// slots. It belongs to no goroutine: jobs take from it, runners come and go.
type pool struct {
	line *fairqueue.Queue
	now  func() time.Time
	// freed is poked when a job has ended.
	freed func()

	mu      sync.Mutex
	members []*member // guarded by mu
	used    time.Time // when a job last began or ended; guarded by mu
	users   users     // guarded by mu
}

// member is a runner that is ready.
type member struct {
	// name is who does a job, for the books: a container, or a server's address.
	name    string
	backend backend.Backend
	// suspect is told that a job failed as it does when the runner is gone.
	suspect func()
	// urls says which addresses in requests the runner may be given, resolve what
	// names in them lead to; pictures fetches for runners that get none.
	urls     fetchurl.Policy
	resolve  fetchurl.Resolver
	pictures Pictures
	slots    int // guarded by pool.mu
	busy     int // guarded by pool.mu
	// rest is for how long it is left alone; guarded by pool.mu.
	rest rest
	// operations is what it can do, refusals what it refused; guarded by pool.mu.
	operations []inference.Operation
	refusals   inference.Refusals
	// attempts are its jobs, heard when it answered a probe last; attentive says that it does
	// so while it works. Guarded by pool.mu.
	attempts  map[*attempt]struct{}
	heard     time.Time
	attentive bool
	// owner is its runner. finished, where it is there, is closed when it has no job any
	// more; guarded by pool.mu.
	owner    *runner
	finished chan struct{}
}

func newPool(queue int, now func() time.Time, freed func()) *pool {
	return &pool{line: fairqueue.New(fairqueue.Options{MaxWaiting: queue, Now: now}), now: now, freed: freed}
}

// add lets a runner take jobs.
func (p *pool) add(m *member) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if m.owner != nil && m.owner.barred {
		return
	}
	p.members = append(p.members, m)
	p.used = p.now()
	p.size()
}

// remove lets a runner take no more jobs; those that it has go on.
func (p *pool) remove(m *member) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.without(m)
}

// expel lets a runner whose entry was removed take no more jobs, for good, and returns
// when it has finished those that it has or ctx ends.
func (p *pool) expel(ctx context.Context, owner *runner) {
	p.mu.Lock()
	owner.barred = true
	var member *member
	for _, m := range p.members {
		if m.owner == owner {
			member = m
		}
	}
	if member == nil || member.busy == 0 {
		p.without(member)
		p.mu.Unlock()
		return
	}
	p.without(member)
	finished := make(chan struct{})
	member.finished = finished
	p.mu.Unlock()
	select {
	case <-finished:
	case <-ctx.Done():
	}
}

// resize says what a runner can do, and that it takes another number of jobs than it said
// before.
func (p *pool) resize(m *member, slots int, operations []inference.Operation) {
	p.mu.Lock()
	defer p.mu.Unlock()
	m.operations = operations
	if m.slots != slots {
		m.slots = slots
		p.size()
	}
}

// removeIdle is remove for a runner that nobody needs at the moment; false
// leaves everything as it was. No job can begin between the look and the
// removal: the line has given out no slot, and gives none while it has none.
func (p *pool) removeIdle(m *member) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.line.Resize(0)
	if s := p.line.Stats(); s.InUse > 0 || s.Waiting > 0 || m.busy > 0 {
		p.size()
		return false
	}
	p.without(m)
	return true
}

// without takes a member out. The caller holds mu.
func (p *pool) without(m *member) {
	for i, have := range p.members {
		if have == m {
			p.members = append(p.members[:i:i], p.members[i+1:]...)
			break
		}
	}
	p.size()
}

// size tells the line how many slots there are. The caller holds mu.
func (p *pool) size() {
	n := 0
	for _, m := range p.members {
		n += m.slots
	}
	p.line.Resize(n)
}

// want is what a job asks of a runner: whose job it is, and the operation. not is a runner
// that had the job; another one must take its request as it was made for that one.
type want struct {
	party string
	op    inference.Operation
	not   *member
}

// errTaken says that the runners that could do a job have no room at the moment.
var errTaken = errors.New("the model's runners that can do it have no room")

// pick gives a job that holds a slot to the runner that can do it and has the least work, of
// those with room; where none can do it, any of them says so. The fault is ModelRunnerLost
// when the runners changed meanwhile and none has room, RunnerBusy while all that have some
// said that they are busy. errTaken says that only others have room.
func (p *pool) pick(w want) (*member, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	able := slices.ContainsFunc(p.members, func(m *member) bool { return inference.Does(m.operations, w.op) })
	var best *member
	var resting time.Duration
	taken, others := false, false
	for _, m := range p.members {
		switch left := m.rest.left(w.party, now); {
		case m == w.not || able && !inference.Does(m.operations, w.op):
			others = true
		case w.not != nil && m.urls != w.not.urls:
		case m.busy >= m.slots:
			taken = true
		case left > 0:
			if resting == 0 || left < resting {
				resting = left
			}
		case best == nil, m.before(best, w.op, now):
			best = m
		}
	}
	switch {
	case best != nil:
		best.busy++
		best.rest.begin(now)
		best.refusals.Retried(now, w.op)
		p.used = now
		return best, nil
	case taken && others:
		return nil, errTaken
	case resting > 0:
		f := fault.New(fault.RunnerBusy, opRun, "the model's runner said that it is busy")
		return nil, fault.After(f, resting)
	}
	return nil, fault.New(fault.ModelRunnerLost, opRun, "")
}

// before says whether a job is for m rather than for other: one that refused what no other
// one refused, or said that it is busy, is tried only where there is no other, else the one
// with less to do. The caller holds pool.mu.
func (m *member) before(other *member, op inference.Operation, now time.Time) bool {
	if a, b := m.refusals.AskOthersFirst(now, op), other.refusals.AskOthersFirst(now, op); a != b {
		return b
	}
	if a, b := now.Before(m.rest.until), now.Before(other.rest.until); a != b {
		return b
	}
	return m.busy*other.slots < other.busy*m.slots
}

// put ends a job's stay at its runner.
func (p *pool) put(m *member) {
	p.mu.Lock()
	defer p.mu.Unlock()
	m.busy--
	p.used = p.now()
	if m.busy == 0 && m.finished != nil {
		close(m.finished)
		m.finished = nil
	}
}

// idle tells since when the model has no work, false while it has.
func (p *pool) idle() (since time.Time, ok bool) {
	s := p.line.Stats()
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.used, s.InUse == 0 && s.Waiting == 0
}

// acquire waits for a slot.
func (p *pool) acquire(ctx context.Context, party string) (release func(), err error) {
	give, err := p.line.Acquire(ctx, party)
	if err != nil {
		return nil, err
	}
	p.note(party)
	return func() { p.note(party); give(); p.freed() }, nil
}
