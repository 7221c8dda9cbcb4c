package aiapi

import (
	"context"
	"encoding/json"
	"io"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

const (
	// asyncTime is how long a job may run whose client asks later: a cold model and
	// a long video are done in it. Nobody's going away ends such a job.
	asyncTime = 15 * time.Minute
	// maxKept bounds what the answer of one says beside its results, in bytes.
	maxKept = 256 << 10
)

// async is the jobs whose clients ask later how they went. What came of them is
// kept for a while; those that ended make room for new ones.
type async struct {
	limit  int
	age    time.Duration
	now    func() time.Time
	random io.Reader

	// ctx ends with close; wg are the jobs that run.
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu    sync.Mutex
	jobs  map[string]*asyncJob // guarded by mu
	timer *time.Timer          // guarded by mu, runs while there are jobs that ended
	shut  bool                 // guarded by mu
}

// asyncJob is one job; what it came to is guarded by async.mu.
type asyncJob struct {
	// party is the client that asked for it.
	party string
	done  bool
	ended time.Time
	// told: the client has been given the answer.
	told bool
	// answer is what the client gets under "result": small, see maxKept.
	answer json.RawMessage
}

func newAsync(limit int, age time.Duration, now func() time.Time, random io.Reader) *async {
	a := &async{limit: limit, age: age, now: now, random: random, jobs: make(map[string]*asyncJob)}
	a.ctx, a.cancel = context.WithCancel(context.Background())
	return a
}

// start runs f for a party beside and returns the name under which its result is found. It is
// the fault RequestsFull when too many run, all in all or of this party.
func (a *async) start(party string, f func(ctx context.Context) (answer json.RawMessage)) (string, error) {
	id := newID(a.random)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.shut || a.overShare(party) || len(a.jobs) >= a.limit && !a.dropOldest() {
		return "", fault.New(fault.RequestsFull, "start job", "too many jobs run whose clients ask later")
	}
	job := &asyncJob{party: party}
	a.jobs[id] = job
	a.wg.Go(func() {
		answer := f(a.ctx)
		a.mu.Lock()
		defer a.mu.Unlock()
		job.done, job.ended, job.answer = true, a.now(), answer
		if a.timer == nil && !a.shut {
			a.timer = time.AfterFunc(a.age, a.sweep)
		}
	})
	return id, nil
}

// overShare reports whether as many jobs of a party run as it leaves places to others. One may
// run in any case. The caller holds mu.
func (a *async) overShare(party string) bool {
	own, free := 0, a.limit
	for _, job := range a.jobs {
		if job.done {
			continue
		}
		free--
		if job.party == party {
			own++
		}
	}
	return own > 0 && own >= free
}

// dropOldest forgets one job that has ended, if there is one: rather one whose
// client knows of it, and of the client with most. The caller holds mu.
func (a *async) dropOldest() bool {
	kept := make(map[string]int)
	for _, job := range a.jobs {
		if job.done {
			kept[job.party]++
		}
	}
	var oldest string
	for id, job := range a.jobs {
		if job.done && (oldest == "" || job.before(a.jobs[oldest], kept)) {
			oldest = id
		}
	}
	delete(a.jobs, oldest)
	return oldest != ""
}

// before reports whether j is dropped before other; both have ended. kept is how many of each
// party have.
func (j *asyncJob) before(other *asyncJob, kept map[string]int) bool {
	if j.told != other.told {
		return j.told
	}
	if mine, its := kept[j.party], kept[other.party]; mine != its {
		return mine > its
	}
	return j.ended.Before(other.ended)
}

// sweep drops what ended too long ago, and comes again while anything is left.
func (a *async) sweep() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.timer = nil
	if a.shut {
		return
	}
	now, next := a.now(), a.age
	again := false
	for id, job := range a.jobs {
		left := a.age - now.Sub(job.ended)
		switch {
		case !job.done:
		case left <= 0:
			delete(a.jobs, id)
		default:
			again, next = true, min(next, left)
		}
	}
	if again {
		a.timer = time.AfterFunc(next, a.sweep)
	}
}

// result is what became of a job; ok is false for one that is not known.
func (a *async) result(id string) (answer json.RawMessage, done, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	job := a.jobs[id]
	if job == nil || job.done && a.now().Sub(job.ended) > a.age {
		return nil, false, false
	}
	job.told = job.done
	return job.answer, job.done, true
}

// close ends the jobs and waits for them.
func (a *async) close() {
	a.mu.Lock()
	a.shut = true
	if a.timer != nil {
		a.timer.Stop()
	}
	a.mu.Unlock()
	a.cancel()
	a.wg.Wait()
}
