package recipient

import (
	"slices"

	"github.com/tuttinode/tutti/pm"
)

// The credentials of AI jobs are the same at every orchestrator: what a gateway signs is the
// model's name, and its request for an offer. Each orchestrator that it asks could ask another
// one for a token in its name, and have jobs done from its balance there. So a job without
// tickets is paid from a balance only in a session, or from a network address, with which
// tickets came into it: tickets are for one orchestrator.

// latelyMost is how many sessions and addresses of one account are remembered. A gateway
// that changes both at once pays once more.
const latelyMost = 64

// lately are the last few of something.
type lately[T comparable] []T

func (l *lately[T]) add(v T) {
	if i := slices.Index(*l, v); i >= 0 {
		*l = slices.Delete(*l, i, i+1)
	}
	if len(*l) >= latelyMost {
		*l = slices.Delete(*l, 0, 1)
	}
	*l = append(*l, v)
}

// prove notes by whom an account was paid. A segment's account is its session's.
func (a *account) prove(job *pm.Job) {
	if job.Model == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sessions.add(job.Session)
	a.peers.add(job.From)
}

// drawnBy reports whether a job without tickets may be paid from the balance. Of an account of
// before the start it is not known who paid; the next tickets tell.
func (a *account) drawnBy(job *pm.Job) bool {
	if job.Model == nil {
		return true
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.sessions) == 0 || slices.Contains(a.sessions, job.Session) || slices.Contains(a.peers, job.From)
}
