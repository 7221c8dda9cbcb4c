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
	// asyncTimeout is how long a job with a polling client may run: enough to load a cold model and
	// make a long video. Such a job does not end when its client disconnects.
	asyncTimeout = 15 * time.Minute
	// maxAsyncAnswer bounds the answer of such a job without its results, in bytes.
	maxAsyncAnswer = 256 << 10
)

// asyncJobs are the jobs whose clients poll for the result. Results are kept for a while; finished
// jobs are dropped first when the limit is reached.
type asyncJobs struct {
	limit  int
	age    time.Duration
	now    func() time.Time
	random io.Reader

	// ctx ends with close; wg counts the running jobs.
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu     sync.Mutex
	jobs   map[string]*asyncJob // guarded by mu
	timer  *time.Timer          // guarded by mu, set while there are finished jobs
	closed bool                 // guarded by mu
}

// asyncJob is one job. Its fields are guarded by asyncJobs.mu.
type asyncJob struct {
	// client asked for it.
	client string
	done   bool
	ended  time.Time
	// fetched: the client has received the answer.
	fetched bool
	// answer is sent to the client under "result"; see maxAsyncAnswer.
	answer json.RawMessage
}

func newAsync(limit int, age time.Duration, now func() time.Time, random io.Reader) *asyncJobs {
	a := &asyncJobs{limit: limit, age: age, now: now, random: random, jobs: make(map[string]*asyncJob)}
	a.ctx, a.cancel = context.WithCancel(context.Background())
	return a
}

// start runs f for a client in the background and returns the ID under which its result is found. It
// returns the fault RequestsFull when too many jobs run, of all clients or of this one.
func (a *asyncJobs) start(client string, f func(ctx context.Context) (answer json.RawMessage)) (string, error) {
	id := newID(a.random)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed || a.overShareLocked(client) || len(a.jobs) >= a.limit && !a.dropOldestLocked() {
		return "", fault.New(fault.RequestsFull, "start job", "too many asynchronous jobs are running")
	}
	job := &asyncJob{client: client}
	a.jobs[id] = job
	a.wg.Go(func() {
		answer := f(a.ctx)
		a.mu.Lock()
		defer a.mu.Unlock()
		job.done, job.ended, job.answer = true, a.now(), answer
		if a.timer == nil && !a.closed {
			a.timer = time.AfterFunc(a.age, a.sweep)
		}
	})
	return id, nil
}

// overShareLocked reports whether a client runs as many jobs as it leaves places to others. It may
// always run one.
func (a *asyncJobs) overShareLocked(client string) bool {
	own, free := 0, a.limit
	for _, job := range a.jobs {
		if job.done {
			continue
		}
		free--
		if job.client == client {
			own++
		}
	}
	return own > 0 && own >= free
}

// dropOldestLocked drops one finished job, if there is one: see dropsBefore.
func (a *asyncJobs) dropOldestLocked() bool {
	kept := make(map[string]int)
	for _, job := range a.jobs {
		if job.done {
			kept[job.client]++
		}
	}
	var oldest string
	for id, job := range a.jobs {
		if job.done && (oldest == "" || job.dropsBefore(a.jobs[oldest], kept)) {
			oldest = id
		}
	}
	delete(a.jobs, oldest)
	return oldest != ""
}

// dropsBefore reports whether j is dropped before other. Both have finished. Jobs whose result was
// fetched go first, then those of the client with most; kept is their number by client.
func (j *asyncJob) dropsBefore(other *asyncJob, kept map[string]int) bool {
	if j.fetched != other.fetched {
		return j.fetched
	}
	if mine, its := kept[j.client], kept[other.client]; mine != its {
		return mine > its
	}
	return j.ended.Before(other.ended)
}

// sweep drops jobs that finished too long ago, and runs again while any are left.
func (a *asyncJobs) sweep() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.timer = nil
	if a.closed {
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

// result returns the state of a job; ok is false when the ID is unknown.
func (a *asyncJobs) result(id string) (answer json.RawMessage, done, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	job := a.jobs[id]
	if job == nil || job.done && a.now().Sub(job.ended) > a.age {
		return nil, false, false
	}
	job.fetched = job.done
	return job.answer, job.done, true
}

// close ends the jobs and waits for them.
func (a *asyncJobs) close() {
	a.mu.Lock()
	a.closed = true
	if a.timer != nil {
		a.timer.Stop()
	}
	a.mu.Unlock()
	a.cancel()
	a.wg.Wait()
}
