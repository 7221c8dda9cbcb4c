package recipient

import (
	"slices"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/pm"
)

// The credentials of AI jobs are the same at every orchestrator: what a gateway signs is the
// model's name, and its request for an offer. Each orchestrator that it asks could ask another
// one for a token in its name, and have jobs done from its balance there. So the balance of a
// model is kept by the sessions and the network addresses with which its tickets came, and a job
// is paid from its own part. Tickets alone prove nothing for the rest: an orchestrator that hands
// on another one's parameters is given tickets for the other one.

const (
	// latelyMost is how many sessions and addresses of one fund are remembered. A gateway
	// that changes both at once pays once more.
	latelyMost = 64
	// fundsMost bounds the funds of one account. Each takes tickets to begin.
	fundsMost = 32
)

// lately are the last few of something.
type lately[T comparable] []T

func (l *lately[T]) add(v T) {
	if n := len(*l); n > 0 && (*l)[n-1] == v {
		return
	}
	if i := slices.Index(*l, v); i >= 0 {
		*l = slices.Delete(*l, i, i+1)
	}
	if len(*l) >= latelyMost {
		*l = slices.Delete(*l, 0, 1)
	}
	*l = append(*l, v)
}

// fund is the part of a model's balance that one party paid in. It is guarded by the account's mu.
type fund struct {
	// sessions and peers are those by which its tickets and its jobs came. Without any it is of
	// before the start: the next tickets tell its payer, or a job in one of the sessions of then.
	sessions lately[core.SessionID]
	peers    lately[string]
	// left is what was paid less what jobs cost, those in progress included.
	left pm.Value
	// into is the fund that it became a part of.
	into *fund
}

func (f *fund) open() bool { return len(f.sessions) == 0 }

// of reports whether a job is of the fund's party.
func (f *fund) of(job *pm.Job) bool {
	return slices.Contains(f.sessions, job.Session) || slices.Contains(f.peers, job.From)
}

// record records by what the fund's party is known: a session is a secret of it, so that the address
// from which that comes is its own, and the other way round.
func (f *fund) record(job *pm.Job) {
	f.sessions.add(job.Session)
	f.peers.add(job.From)
}

// Parties returns by what the payers of models' balances are known; of an account with several, that of the largest
// part. It is what an upgrade passes on.
func (r *Recipient) Parties() (list []pm.Party) {
	all, _ := r.accounts.all()
	for _, a := range all {
		if p, ok := a.party(); ok {
			list = append(list, p)
		}
	}
	return list
}

func (a *account) party() (pm.Party, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	most := a.before
	for _, f := range a.funds {
		if !f.open() && (most == a.before || f.left.Cmp(most.left) > 0) {
			most = f
		}
	}
	if most == nil {
		return pm.Party{}, false
	}
	return pm.Party{Account: a.id, Sessions: slices.Clone(most.sessions), Peers: slices.Clone(most.peers)}, true
}

// RestoreParties takes what the previous process knew of payers. It is called before the first payment.
func (r *Recipient) RestoreParties(list []pm.Party) {
	for _, p := range list {
		r.accounts.restoreParty(&p)
	}
}

func (s *accounts) restoreParty(p *pm.Party) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.open[p.Account]; a != nil {
		a.before = &fund{sessions: p.Sessions, peers: p.Peers}
	}
}

// root is the fund, or what it is a part of by now.
func (f *fund) root() *fund {
	for f.into != nil {
		f = f.into
	}
	return f
}

// change adds to the fund, or what it is a part of by now.
func (f *fund) change(by pm.Value) {
	f = f.root()
	f.left = f.left.Add(by)
}

// fundOfLocked returns the one that a job is paid from, nil for none. Those that a job shows to be one
// party's become one. paid: the job has tickets, which make it the payer of a fund of before the start. The caller
// holds mu.
func (a *account) fundOfLocked(job *pm.Job, paid bool) *fund {
	if len(a.funds) == 0 {
		a.funds = []*fund{{left: a.balance}}
	}
	known := paid || a.before == nil || a.before.of(job)
	var found, unowned *fund
	a.funds = slices.DeleteFunc(a.funds, func(f *fund) bool {
		switch {
		case f.open():
			if known {
				unowned = f
			}
		case !f.of(job):
		case found == nil:
			found = f
		default:
			found.merge(f)
			return true
		}
		return false
	})
	if found == nil {
		return unowned
	}
	return found
}

// merge takes over another fund.
func (f *fund) merge(o *fund) {
	for _, s := range o.sessions {
		f.sessions.add(s)
	}
	for _, p := range o.peers {
		f.peers.add(p)
	}
	f.left, o.into = f.left.Add(o.left), f
}

// proveLocked puts what a job's tickets are worth into its party's fund. A segment's account is its
// session's. The caller holds mu, and has not changed the balance yet.
func (a *account) proveLocked(job *pm.Job, v pm.Value) {
	if job.Model == nil {
		return
	}
	f := a.fundOfLocked(job, true)
	if f == nil {
		if len(a.funds) >= fundsMost {
			least := slices.MinFunc(a.funds, func(x, y *fund) int { return x.left.Cmp(y.left) })
			a.funds = slices.DeleteFunc(a.funds, func(f *fund) bool { return f == least })
		}
		f = new(fund)
		a.funds = append(a.funds, f)
	}
	f.record(job)
	f.left = f.left.Add(v)
}

// ownLocked returns what a job's party has left of the balance. The caller holds mu.
func (a *account) ownLocked(job *pm.Job) pm.Value {
	if f := a.fundOfLocked(job, false); f != nil {
		return f.left
	}
	return pm.Value{}
}

// freeForLocked returns what is free for a job. The caller holds mu.
func (a *account) freeForLocked(job *pm.Job) pm.Value {
	free := a.freeLocked()
	if job.Model == nil {
		return free
	}
	if own := a.ownLocked(job); own.Cmp(free) < 0 {
		return own
	}
	return free
}

// drawLocked takes what a job costs out of its fund, which is nil for a segment. The caller holds mu,
// and has asked whether there is enough.
func (a *account) drawLocked(job *pm.Job, cost pm.Value) *fund {
	if job.Model == nil {
		return nil
	}
	f := a.fundOfLocked(job, false)
	if f == nil {
		return nil // it costs nothing
	}
	if !f.open() || a.before != nil {
		f.record(job)
	}
	f.left = f.left.Sub(cost)
	return f
}
