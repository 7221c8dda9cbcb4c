package recipient_test

import (
	"math/big"

	"github.com/tuttinode/tutti/pm"
)

// work finishes a job: a segment may come to more than it was estimated at, within
// one unit; an AI job comes to what was said.
func (w *world) work() {
	if len(w.inHand) == 0 {
		return
	}
	w.counts["work"]++
	h := w.takeJob()
	units := new(big.Rat).Quo(h.cost.Rat(), h.price.Rat()).Num().Int64()
	if h.segment {
		balance := w.ref.account(h.account).balance
		if err := h.Begin(); (err == nil) != (balance.Cmp(w.ref.ev) >= 0) {
			w.t.Fatalf("begun with %v at a balance of %v", err, balance)
		} else if err != nil {
			h.Release()
			w.ref.end(h.account, h.cost, pm.Value{})
			return
		}
		units = w.dice.Int64N(3_000_000_000_000_000)
	}
	h.Done(pm.Work{Units: units, Produced: -1, Worker: "w"})
	w.ref.end(h.account, h.cost, h.price.Of(units))
	if w.dice.IntN(2) == 0 {
		h.Produced(w.dice.Int64N(100))
	}
	if w.dice.IntN(4) == 0 {
		h.Done(pm.Work{Units: units})
		h.Release()
	}
}

func (w *world) refund() {
	if len(w.inHand) == 0 {
		return
	}
	w.counts["refund"]++
	h := w.takeJob()
	h.Release()
	w.ref.end(h.account, h.cost, pm.Value{})
}

// takeJob takes a job out of those in hand: any AI job, or the first segment of its
// account, because those wait for one another.
func (w *world) takeJob() heldJob {
	i := w.dice.IntN(len(w.inHand))
	if w.inHand[i].segment {
		for k := range w.inHand {
			if w.inHand[k].account == w.inHand[i].account {
				i = k
				break
			}
		}
	}
	h := w.inHand[i]
	w.inHand = append(w.inHand[:i:i], w.inHand[i+1:]...)
	return h
}
