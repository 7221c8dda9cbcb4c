package front

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// async is the jobs whose clients ask later how they went.
type async struct {
	limit  int
	age    time.Duration
	now    func() time.Time
	random io.Reader

	// ctx ends with close; wg are the jobs that run.
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu   sync.Mutex
	jobs map[string]*asyncJob // guarded by mu
	shut bool                 // guarded by mu
}

// asyncJob is one job; what it came to is guarded by async.mu.
type asyncJob struct {
	done  bool
	ended time.Time
	// answer is what the client gets under "result".
	answer any
}

func newAsync(limit int, age time.Duration, now func() time.Time, random io.Reader) *async {
	a := &async{limit: limit, age: age, now: now, random: random, jobs: make(map[string]*asyncJob)}
	a.ctx, a.cancel = context.WithCancel(context.Background())
	return a
}

// start runs f beside and returns the name under which its result is found. It is
// the fault RequestsFull when too many run or wait to be asked for.
func (a *async) start(f func(ctx context.Context) (answer any)) (string, error) {
	id := newID(a.random)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.forget()
	if a.shut || len(a.jobs) >= a.limit {
		return "", fault.New(fault.RequestsFull, "start job", "too many jobs run whose clients ask later")
	}
	job := &asyncJob{}
	a.jobs[id] = job
	a.wg.Go(func() {
		answer := f(a.ctx)
		a.mu.Lock()
		defer a.mu.Unlock()
		job.done, job.ended, job.answer = true, a.now(), answer
	})
	return id, nil
}

// forget drops what ended too long ago. The caller holds mu.
func (a *async) forget() {
	now := a.now()
	for id, job := range a.jobs {
		if job.done && now.Sub(job.ended) > a.age {
			delete(a.jobs, id)
		}
	}
}

// result is what became of a job; ok is false for one that is not known.
func (a *async) result(id string) (answer any, done, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.forget()
	job := a.jobs[id]
	if job == nil {
		return nil, false, false
	}
	return job.answer, job.done, true
}

// close ends the jobs and waits for them.
func (a *async) close() {
	a.mu.Lock()
	a.shut = true
	a.mu.Unlock()
	a.cancel()
	a.wg.Wait()
}
