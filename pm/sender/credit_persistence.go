package sender

import (
	"math/big"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/paymentlog"
)

// saveCreditLocked stores a credit. Running jobs count as unworked: after a crash their outcome
// is unknown.
func (s *Sender) saveCreditLocked(payee string, c *credit) {
	s.opt.Book.Keep(paymentlog.Credit{
		Payee: payee, Unworked: c.held().Floor(), Waiting: c.waiting.Floor(), Halved: c.halved, Span: c.span,
		Worked: [2]*big.Int{c.worked[0].Floor(), c.worked[1].Floor()},
		Left:   [2]*big.Int{c.left[0].Floor(), c.left[1].Floor()}, Stopped: c.stopped,
	})
}

// restoreCredits loads the stored credits.
func (s *Sender) restoreCredits(credits []paymentlog.Credit) {
	value := func(n *big.Int) pm.Value { return pm.ValueOf(new(big.Rat).SetInt(n)) }
	for _, k := range credits {
		c := newCredit(k.Halved)
		c.waiting, c.span, c.stopped = minValue(value(k.Waiting), value(k.Unworked)), k.Span, k.Stopped
		c.missing = value(k.Unworked).Sub(c.waiting)
		c.worked = [2]pm.Value{value(k.Worked[0]), value(k.Worked[1])}
		c.left = [2]pm.Value{value(k.Left[0]), value(k.Left[1])}
		s.credits[k.Payee] = c
		if c.stopped {
			s.reportCredit(k.Payee, true, true, c.describe())
		}
	}
}

// reportCredit sets the condition of a stopped orchestrator, and clears it when it is paid
// again.
func (s *Sender) reportCredit(payee string, stopped, changed bool, detail string) {
	key := health.Key{Code: fault.PaidWorkMissing, About: payee}
	switch {
	case s.opt.Board == nil || !changed:
	case stopped:
		s.opt.Board.Set(key, detail)
	default:
		s.opt.Board.Clear(key)
	}
}

// sweepCreditsLocked drops empty credits. It returns why orchestrators are stopped, and "" for
// the others.
func (s *Sender) sweepCreditsLocked(now time.Time) (why map[string]string) {
	limit := pm.WeiValue(s.opt.Limits.MaxCredit)
	why = make(map[string]string, len(s.credits))
	for payee, c := range s.credits {
		c.advance(now)
		c.forget(now)
		if c.stopped && c.mayResume(limit) {
			s.saveCreditLocked(payee, c)
		}
		if why[payee] = ""; c.stopped {
			why[payee] = c.describe()
		}
		s.opt.Recorder.PaidUnworked(payee, pm.Value{}, c.held())
		if c.held().Sign() == 0 && c.bound(limit).Cmp(limit) == 0 && len(c.starts) == 0 {
			delete(s.credits, payee)
			s.opt.Book.Keep(paymentlog.Credit{Payee: payee})
		}
	}
	return why
}
