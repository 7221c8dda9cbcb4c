package broker

import (
	"context"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/airouting"
	"github.com/tuttinode/tutti/core/fault"
)

// hedgeAgain is how long a silent stream waits until a second orchestrator is looked for again.
const hedgeAgain = 250 * time.Millisecond

// burstHedges is how many streams may be hedged in a row.
const burstHedges = 8

// hedgeShare bounds how many streams go to a second orchestrator too: each stream adds its share, each hedge takes
// one. So a fleet that is slow as a whole gets little more work.
type hedgeShare struct {
	mu   sync.Mutex
	left float64 // guarded by mu
}

// count counts a stream.
func (h *hedgeShare) count(share float64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.left = min(burstHedges, h.left+share)
}

// take takes a hedge, and reports whether there was one.
func (h *hedgeShare) take() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.left < 1 {
		return false
	}
	h.left--
	return true
}

// attemptHedged sends the job to the orchestrator of a lease, and to a second one as well when the first stays silent
// for longer than nearly all of its streams. It returns once one of them answers, or all have failed: the attempts that
// ended, of which at most one has a usable answer. The other one is canceled then.
func (r *jobRun) attemptHedged(ctx context.Context, first *airouting.Lease) []*try {
	late, known := first.Late()
	if share := r.b.opt.HedgeShare; !r.job.Stream || share <= 0 || !known || r.refusals.second() {
		answer, err := r.attempt(ctx, first)
		return []*try{{first, answer, err}}
	}
	r.b.hedges.count(r.b.opt.HedgeShare)
	second := r.fork(first) // the first attempt changes r from here on
	ended := make(chan *try, 2)
	stops := map[*airouting.Lease]context.CancelFunc{first: r.start1(ctx, first, ended)}
	timer := time.NewTimer(late)
	defer timer.Stop()
	var tries []*try
	for len(tries) < len(stops) {
		select {
		case t := <-ended:
			tries = append(tries, t)
			if t.usable() {
				if len(stops) > 1 {
					t.answer.Hedged, t.answer.Tries = true, t.answer.Tries+1
				}
				return append(tries, r.cancelOthers(t, stops, ended, len(stops)-len(tries))...)
			}
		case <-timer.C:
			if lease := second.hedge(); lease != nil {
				stops[lease] = second.start1(ctx, lease, ended)
			} else {
				timer.Reset(hedgeAgain) // none is free, or the share is used up, for a moment
			}
		}
	}
	return tries
}

// fork is the state of an attempt besides that of a lease.
func (r *jobRun) fork(beside *airouting.Lease) *jobRun {
	f := *r
	f.tried = append(slices.Clone(r.tried), beside.URI())
	f.refusedTerms = slices.Clone(r.refusedTerms)
	f.failed.lost = slices.Clone(r.failed.lost)
	return &f
}

// hedge returns the orchestrator that the job is sent to as well, nil for none.
func (r *jobRun) hedge() *airouting.Lease {
	q := r.query()
	q.SecondOpinion, q.AllowExpensive = true, false // the model is loaded there, and a slot free
	lease, v := r.p.table.Pick(r.b.opt.Now(), q)
	if v != airouting.Picked {
		return nil
	}
	free := lease.Price() == nil || lease.Price().Sign() == 0
	if lease.Probe() || !free && !r.b.opt.HedgePaid || !r.b.hedges.take() {
		lease.Done(r.b.opt.Now(), airouting.Abandoned)
		return nil
	}
	return lease
}

// start1 begins an attempt. stop cancels it; an answer of it does that when it is closed.
func (r *jobRun) start1(ctx context.Context, l *airouting.Lease, ended chan<- *try) (stop context.CancelFunc) {
	ctx, stop = context.WithCancel(ctx)
	go func() {
		answer, err := r.guarded(ctx, l)
		if err != nil {
			stop()
		} else {
			answer.Body = &stoppedBody{answer.Body, stop}
		}
		ended <- &try{l, answer, err}
	}()
	return stop
}

// guarded is attempt where no server recovers panics: one would end the node.
func (r *jobRun) guarded(ctx context.Context, l *airouting.Lease) (answer *Answer, err error) {
	defer func() {
		if p := recover(); p != nil {
			answer, err = nil, fault.Wrap(fault.Unexpected, "send job", fault.Recovered(p))
		}
	}()
	return r.attempt(ctx, l)
}

// cancelOthers ends the attempts that are still running, count of them, because t has the answer. It waits for them:
// what they cost belongs to this job.
func (r *jobRun) cancelOthers(t *try, stops map[*airouting.Lease]context.CancelFunc, ended <-chan *try,
	count int) (others []*try) {
	if count == 0 {
		return nil
	}
	for lease, stop := range stops {
		if lease != t.lease {
			lease.Overtaken(r.b.opt.Now())
			stop()
		}
	}
	for range count {
		other := <-ended
		if other.err == nil {
			_ = other.answer.Body.Close() // it came a moment later
			other.answer = nil
		}
	}
	return nil
}

// stoppedBody ends its attempt's context with it.
type stoppedBody struct {
	io.ReadCloser
	stop context.CancelFunc
}

// Close closes the body. It may be called again.
func (b *stoppedBody) Close() error {
	err := b.ReadCloser.Close()
	b.stop()
	return err
}
