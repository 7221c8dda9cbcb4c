package paymentlog

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// maxProblems bounds the problems that a report lists.
const maxProblems = 100

// Report is the result of Verify.
type Report struct {
	// Payments and Sets are stored one by one, Sums are those of older ones.
	Payments, Sets, Sums int
	// States counts payments by their state.
	States map[State]int
	// Value is what all tickets are worth that were sent, ever.
	Value pm.Value
	// Problems lists the inconsistencies; none means that all is well.
	Problems []string
}

// span is a payment's nonces.
type span struct {
	id          ID
	first, last uint32
}

// setCheck is what payments with one set must have in common.
type setCheck struct {
	recipient core.Address
	ev        pm.Value
	spans     []span
}

// Verify reads the whole log and reports what is impossible: nonces used twice, tickets of one
// set that differ, bills without work, impossible sums.
func (s *Store) Verify(ctx context.Context) (Report, error) {
	if err := s.Flush(ctx); err != nil {
		return Report{}, err
	}
	s.folding.RLock()
	defer s.folding.RUnlock()
	r := Report{States: make(map[State]int)}
	err := s.eachTotal(ctx, func(t *Total) {
		r.Sums++
		r.Value = r.Value.Add(t.Value)
		if t.Payments < 0 || t.Tickets < 0 || t.Units < 0 || t.Billed.Sign() < 0 || t.Open.Cmp(t.Value) > 0 ||
			t.Cost.Cmp(t.Billed) < 0 {
			r.problem("the sum of %s for %s cannot be", t.Day, t.Recipient)
		}
	})
	if err != nil {
		return r, failed("read the account of payments", err)
	}
	sets := make(map[protocol.Hash]*setCheck)
	if err := s.each(ctx, func(p *Payment) error { r.payment(p, sets); return nil }); err != nil {
		return r, err
	}
	r.Sets = len(sets)
	for hash, c := range sets {
		r.set(hash, c)
	}
	return r, nil
}

func (r *Report) problem(format string, args ...any) {
	if len(r.Problems) < maxProblems {
		r.Problems = append(r.Problems, fmt.Sprintf(format, args...))
	}
}

func (r *Report) payment(p *Payment, sets map[protocol.Hash]*setCheck) {
	r.Payments++
	r.States[p.State]++
	if p.Units < 0 || p.Units > 0 && p.State != Answered {
		r.problem("payment %d bills %d units in state %s", p.ID, p.Units, p.State)
	}
	if known := p.State == Answered || p.State == Refused || p.State == Failed; !known && p.Cost().Sign() != 0 ||
		p.Cost().Sign() < 0 {
		r.problem("payment %d cost %s wei in state %s", p.ID, p.Cost(), p.State)
	} else if !p.Charged.IsZero() && p.Charged.Big().Cmp(p.Cost().Ceil()) != 0 {
		r.problem("payment %d cost %s wei, of which %s were charged", p.ID, p.Cost(), p.Charged)
	}
	if p.First == 0 && p.Last == 0 {
		return
	}
	if p.First == 0 || p.Last < p.First {
		r.problem("payment %d has nonces %d to %d", p.ID, p.First, p.Last)
		return
	}
	if p.State != Unsent {
		r.Value = r.Value.Add(p.Value())
	}
	params := pm.Params{FaceValue: p.FaceValue, WinProb: p.WinProb}
	c := sets[p.RandHash]
	if c == nil {
		c = &setCheck{recipient: p.Recipient, ev: params.EV()}
		sets[p.RandHash] = c
	}
	if c.recipient != p.Recipient || c.ev.Cmp(params.EV()) != 0 {
		r.problem("payment %d differs from others of its set %s", p.ID, p.RandHash)
	}
	c.spans = append(c.spans, span{p.ID, p.First, p.Last})
}

// set reports nonces that were used twice.
func (r *Report) set(hash protocol.Hash, c *setCheck) {
	slices.SortFunc(c.spans, func(a, b span) int { return cmp.Compare(a.first, b.first) })
	for i := 1; i < len(c.spans); i++ {
		if a, b := c.spans[i-1], c.spans[i]; b.first <= a.last {
			r.problem("payments %d and %d used nonce %d of set %s both", a.id, b.id, b.first, hash)
		}
	}
}
