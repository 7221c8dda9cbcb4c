package recipient

import "github.com/tuttinode/tutti/pm"

// promises are the parts of an account's balance that jobs will need whose tickets are valid and are being written. The
// work of such a job has begun, so no other job may be admitted, or begin, with the same money. The account's mu guards
// them.
type promises struct {
	sum pm.Value
	by  map[*pm.Job]promise
}

// promise is what one job needs beyond its own tickets.
type promise struct {
	value pm.Value
	// of is the fund that it is promised from, nil without one.
	of *fund
}

// drop ends the promise to a job, if there is one.
func (p *promises) drop(job *pm.Job) {
	one, known := p.by[job]
	if !known {
		return
	}
	delete(p.by, job)
	p.sum = p.sum.Sub(one.value)
	if one.of != nil {
		one.of.change(one.value)
	}
}

// promise predicts whether reserve would admit a job after a credit of v, and keeps what the job needs besides v
// until reserve or endPromise.
func (a *account) promise(job *pm.Job, v, cost, needed pm.Value) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.freeForLocked(job).Add(v).Cmp(needed) < 0 {
		return false
	}
	one := promise{value: cost.Sub(v)}
	if one.value.Sign() <= 0 {
		return true
	}
	if job.Model != nil {
		if one.of = a.fundOfLocked(job, false); one.of != nil {
			one.of.change(one.value.Neg())
		}
	}
	if a.promised.by == nil {
		a.promised.by = make(map[*pm.Job]promise)
	}
	a.promised.by[job] = one
	a.promised.sum = a.promised.sum.Add(one.value)
	return true
}

// endPromise ends the promise to a job that is not admitted; a nil account made none.
func (a *account) endPromise(job *pm.Job) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.promised.drop(job)
}
