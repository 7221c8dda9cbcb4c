package broker

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/tuttinode/tutti/core/airouting"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// Do sends a job to an orchestrator and returns once its answer has begun. Until then it retries at
// other orchestrators where that may help; afterwards never. ctx governs the whole answer: when it
// ends, the orchestrator is canceled at once.
//
// Errors are faults: ModelUnknown and OperationUnknown when no orchestrator can do the job,
// OrchestratorsFull when all are busy, ModelRateLimited when they asked this client to come back
// later, SearchesFull when too many discoveries wait for unknown models, PriceTooHigh,
// NoOrchestratorReachable, one of class BadRequest when the request is wrong, Canceled or
// DeadlineExceeded when ctx ended, else the reason of the last failed attempt.
func (b *Broker) Do(ctx context.Context, job *inference.Job, hint Hint) (*Answer, error) {
	now := b.opt.Now()
	r := jobRun{
		b: b, p: b.pool(job.Model, now), job: job, hint: hint, start: now,
		budget: &airouting.Budget{Window: b.opt.RetryWindow, Others: max(0, b.opt.Others), MaxLost: b.opt.maxLost()},
		lost:   make(map[string]int),
	}
	for {
		lease, err := r.lease(ctx)
		if err != nil {
			return r.end(ctx, err)
		}
		tries := r.attemptHedged(ctx, lease)
		for _, t := range tries {
			if t.usable() {
				return t.answer, nil
			}
		}
		for _, t := range tries {
			if answer, err, over := r.after(ctx, t); over {
				return answer, err
			}
		}
	}
}

// try is an attempt that has ended, or whose answer has begun.
type try struct {
	lease  *airouting.Lease
	answer *Answer
	err    error
}

// usable reports whether the client gets its answer.
func (t *try) usable() bool { return t.err == nil && !refused(t.answer, nil) }

// after records a failed attempt. over: the job has ended with this answer or error.
func (r *jobRun) after(ctx context.Context, t *try) (answer *Answer, err error, over bool) {
	v := r.recordFailure(t.lease, t.answer, t.err, refused(t.answer, t.err))
	switch {
	case r.refusals.agreed():
		answer, err = r.refusals.result()
		return answer, err, true
	case v.stop:
		return nil, t.err, true
	case !r.budget.Again(r.elapsed(), v.cost):
		answer, err = r.end(ctx, r.failed.err())
		return answer, err, true
	}
	uri := t.lease.URI()
	r.tried = append(r.tried, uri)
	if v.loss != airouting.NoLoss {
		r.lost[uri]++
	}
	if !v.again || r.lost[uri] >= maxLost {
		r.excluded = append(r.excluded, uri)
	}
	return nil, nil, false
}

// recordFailure records an attempt without a usable answer, and returns its classification.
func (r *jobRun) recordFailure(lease *airouting.Lease, answer *Answer, err error, isRefused bool) verdict {
	v := verdict{outcome: airouting.Refused, cost: airouting.Cost{Slow: true}}
	if err != nil {
		v = classify(err)
		r.logFailure(lease, err)
	}
	if !isRefused {
		r.failed.add(err)
		return v
	}
	v.stop, v.cost.Slow = false, true // one more orchestrator may be asked in any case
	if err != nil {
		r.failed.pay(err)
	}
	r.refusals.add(r, lease, answer, err)
	return v
}

// jobRun is the state of one job until its answer begins.
type jobRun struct {
	b     *Broker
	p     *pool
	job   *inference.Job
	hint  Hint
	start time.Time

	budget       *airouting.Budget // shared with a hedged attempt
	primary      string            // the only one that may get the job, where the client wants no other than the first
	tried        []string          // in this round of attempts
	excluded     []string          // those of tried that are not asked again
	paused       bool              // there was a pause since the last round
	pauses       int
	failed       failures
	refusedTerms []*upstream.Terms // a ticket was refused under them because of its nonce
	lost         map[string]int    // how often each took a payment without doing the job
	network      *inference.Job    // the job in the existing network's form, made once

	refusals refusals
}

// maxLost is how often a job is sent to one orchestrator that takes the payment without doing the
// job, but may do it later.
const maxLost = 2

func (r *jobRun) elapsed() time.Duration { return r.b.opt.Now().Sub(r.start) }

// lease gets an orchestrator for the next attempt: at once, or after a discovery or a pause.
func (r *jobRun) lease(ctx context.Context) (*airouting.Lease, error) {
	if err := r.awaitOffers(ctx); err != nil {
		return nil, err
	}
	for {
		now := r.b.opt.Now()
		q := r.query()
		lease, v := r.p.table.Pick(now, q)
		if v == airouting.Picked {
			if r.p.stale(now) {
				r.b.searchInBackground(r.p)
			}
			r.paused = false
			if r.primary == "" && r.hint.Preferences.Single() {
				r.primary = lease.URI()
			}
			return lease, nil
		}
		if r.refusals.second() && r.p.table.Len() > 1 {
			if r.p.table.Confirms(now, &q) {
				r.refusals.confirm()
			}
			return nil, fault.New(fault.JobRefused, "find an orchestrator", "no second orchestrator can be asked")
		}
		if err := r.handleNoPick(ctx, v, now); err != nil {
			return nil, err
		}
	}
}

// awaitOffers waits, within the window, until all orchestrators have answered the model's first discovery,
// if the client compares orchestrators: the first one that answers need not be the one it prefers.
func (r *jobRun) awaitOffers(ctx context.Context) error {
	if !r.hint.Preferences.Compares() {
		return nil
	}
	if r.p.table.Len() == 0 {
		_ = r.b.find(ctx, r.p) // without any, the choice says why
	}
	for r.p.pendingAnswers.Load() > 0 && !r.p.surveyed.Load() {
		if r.pause(ctx, errWindowOver) != nil {
			break
		}
	}
	if err := ctx.Err(); err != nil {
		return fault.Wrap(fault.CodeOf(err), "find an orchestrator", err)
	}
	return nil
}

// errWindowOver says that no more attempts begin.
var errWindowOver = errors.New("the window for attempts is over")

// handleNoPick handles a round in which no orchestrator can be picked. A nil error means to try
// again.
func (r *jobRun) handleNoPick(ctx context.Context, v airouting.Verdict, now time.Time) error {
	const op = "find an orchestrator"
	switch v {
	case airouting.Empty:
		err := r.b.find(ctx, r.p)
		switch {
		case err == nil && r.p.table.Len() > 0:
			return nil
		case err == nil:
			err = fault.New(fault.NoOrchestratorReachable, op, r.job.Model.String())
		case fault.CodeOf(err) == fault.ModelWithdrawn, fault.CodeOf(err) == fault.ModelUnavailable &&
			r.p.recentlyOffered(r.b.opt.Now()):
		case fault.CodeOf(err) != fault.NoOrchestratorReachable || !r.p.recentlyOffered(r.b.opt.Now()):
			return err
		}
		return r.pause(ctx, err) // it was offered recently; the orchestrator may be restarting
	case airouting.Excluded:
		return r.whilePending(ctx, fault.New(fault.OrchestratorsExcluded, op,
			"provider: no orchestrator that it leaves offers "+r.job.Model.String()))
	case airouting.TooExpensiveForClient:
		return r.whilePending(ctx, abovePreferredPrice(r.job.Model))
	case airouting.Unfit:
		return r.whilePending(ctx, fault.New(fault.OperationUnknown, op,
			"no orchestrator does "+string(r.job.Operation)+" with "+r.job.Model.String()))
	case airouting.Lacking:
		return r.whilePending(ctx, r.lacksFeature())
	case airouting.TooExpensive:
		return r.whilePending(ctx, fault.New(fault.PriceTooHigh, op, r.job.Model.String()))
	case airouting.BackingOff:
		return r.waitForBackoff(ctx, now)
	case airouting.Tried:
		switch {
		case len(r.excluded) == len(r.tried):
			return r.whilePending(ctx, r.failed.err())
		case r.paused: // no others appeared; try the same ones again
			r.tried, r.paused = slices.Clone(r.excluded), false
			return nil
		}
		r.paused = true
	}
	if r.p.stale(now) {
		r.b.searchInBackground(r.p)
	}
	return r.pause(ctx, r.failed.err())
}

// abovePreferredPrice is the fault of a model that costs more than the client pays.
func abovePreferredPrice(model inference.Model) error {
	return &fault.Fault{Code: fault.OrchestratorsExcluded, Op: "find an orchestrator", Err: airouting.ErrAbovePrice,
		Detail: "provider.max_price: the orchestrators that are left ask for more for " + model.String()}
}

// whilePending waits for orchestrators that have not answered a discovery yet; if there are none,
// it returns err.
func (r *jobRun) whilePending(ctx context.Context, err error) error {
	if r.p.pendingAnswers.Load() == 0 {
		return err
	}
	return r.pause(ctx, err)
}

// waitForBackoff waits until an orchestrator that asked this client to come back later takes jobs
// again, if that is within the window. Otherwise the client gets the time.
func (r *jobRun) waitForBackoff(ctx context.Context, now time.Time) error {
	left := r.p.table.BackoffLeft(now, r.query())
	full := fault.New(fault.OrchestratorFull, "find an orchestrator", "it told this client to come back later")
	r.failed.add(fault.After(full, left))
	if r.p.pendingAnswers.Load() > 0 { // others have yet to answer a discovery
		return r.pause(ctx, r.failed.err())
	}
	err := r.wait(ctx, left, r.failed.err())
	r.tried = slices.Clone(r.excluded)
	return err
}

// pause waits a moment within the window; when that is over it returns err.
func (r *jobRun) pause(ctx context.Context, err error) error {
	d := airouting.Pause(r.pauses, r.b.opt.Rand())
	r.pauses++
	return r.wait(ctx, d, err)
}

// wait waits for d within the window, else it returns err.
func (r *jobRun) wait(ctx context.Context, d time.Duration, err error) error {
	if !r.budget.Open(r.elapsed() + d) {
		return err
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return fault.Wrap(fault.CodeOf(ctx.Err()), "find an orchestrator", ctx.Err())
	}
}

func (r *jobRun) query() airouting.Query {
	return airouting.Query{
		Affinity: r.hint.Affinity, Tried: r.tried, Whole: !r.job.Stream, MaxPrice: r.b.opt.MaxPrice(r.job.Model),
		AllowExpensive: r.b.opt.AllowExpensive,
		Client:         r.job.Client, Operation: r.job.Operation, Needs: r.job.Needs,
		SecondOpinion: r.refusals.second(), Refusal: r.refusals.first,
		Preferences: r.hint.Preferences, Primary: r.primary, Kind: kindFor(r.job, &r.hint),
	}
}

// logFailure logs a failed attempt for debugging; lasting failures show in the table's rests.
func (r *jobRun) logFailure(l *airouting.Lease, err error) {
	r.b.opt.Log.Debug("attempt at an AI job failed", "orchestrator", l.URI(), "pipeline",
		r.job.Model.Capability.Pipeline(),
		"model", r.job.Model.ID, "job", r.job.RequestID, "key", r.hint.KeyName, fault.Attr(err))
}
