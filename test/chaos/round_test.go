package chaos

import (
	"fmt"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core/protocol"
)

// round is one round of a run.
type round struct {
	plan   plan
	number protocol.Round
	// from is its first block, to its last.
	from, to protocol.L2Block
	// passed are the L1 blocks that went by.
	passed uint64
	// forked: blocks of it were replaced.
	forked bool
}

// play has one round go by as planned and checks what became of it.
func (w *world) play(p plan) {
	w.t.Helper()
	w.round = round{plan: p}
	w.ail()
	for _, t := range p.problems {
		if t.before != nil {
			t.before(w)
		}
	}
	w.begin()
	for _, t := range p.problems {
		if t.during != nil {
			t.during(w)
		}
	}
	if w.awaitReward() {
		w.afterwards()
	}
	w.calm()
	w.check()
}

// begin starts the round on the chain.
func (w *world) begin() {
	w.t.Helper()
	w.round.from = w.head() + 1
	now, err := w.chain.Control.NextRound(w.ctx(), w.round.plan.others)
	w.must(err)
	w.round.number = now.Round
	w.fig.rounds++
}

// afterwards is what happens once the reward is mined.
func (w *world) afterwards() {
	w.t.Helper()
	again := false
	for _, t := range w.round.plan.problems {
		if t.after != nil {
			t.after(w)
			again = true
		}
	}
	if again {
		w.awaitReward()
	}
}

// awaitReward waits for the reward on the chain. From here on nothing keeps the
// node from it but endpoints that misbehave, of which one does not.
func (w *world) awaitReward() bool {
	w.t.Helper()
	began := time.Now()
	if w.within(patience, func() bool { return w.rewardAt() != 0 }) {
		w.fig.recovered(time.Since(began), fmt.Sprintf("round %d: %s", w.round.number, w.round.plan))
		return true
	}
	w.fig.missed++
	w.t.Errorf("round %d (%s): no reward; last lines of the node:\n%s", w.round.number, w.round.plan, w.log)
	if w.fig.missed >= 3 {
		w.t.FailNow()
	}
	return false
}

// ail has endpoints misbehave for the whole round.
func (w *world) ail() {
	w.t.Helper()
	if a := w.round.plan.ailment; a != nil {
		for _, i := range a.at {
			w.chain.SetFaults(i, a.Fault)
		}
	}
}

// restore has all endpoints behave.
func (w *world) restore() {
	w.t.Helper()
	for i := range endpoints {
		w.chain.SetFaults(i)
	}
}

// calm ends all faults, and buries the round's blocks deeper than a
// reorg of the next one reaches.
func (w *world) calm() {
	w.t.Helper()
	w.restore()
	w.must(w.chain.Control.DropNext(w.ctx(), 0))
	w.must(w.chain.Control.SetBaseFee(w.ctx(), calmFee))
	w.flow()
	w.passL1(1)
	w.round.to = w.chain.Mine(deepest + 1)
}

// check reads from the chain what became of the round.
func (w *world) check() {
	w.t.Helper()
	r := w.round
	rewards, err := w.ledger.rewards(w.ctx(), r.from, r.to)
	w.must(err)
	last, err := w.ledger.lastRewardRound(w.ctx())
	w.must(err)
	if len(rewards) != 1 || last != r.number {
		w.t.Errorf("round %d (%s): %d rewards, the last one in round %d", r.number, r.plan, len(rewards), last)
	}
	entries, err := w.ledger.entries(w.ctx(), r.from, r.to)
	w.must(err)
	w.book(r, entries, len(rewards))
}

// book counts a round's transactions and finds those that were one too many.
func (w *world) book(r round, entries []entry, rewards int) {
	w.t.Helper()
	w.fig.rewards += min(rewards, 1)
	w.fig.blocks += uint64(r.to-r.from) + 1
	for _, verb := range []string{verbReward, verbInit} {
		n := successes(entries, verb, w.foreign)
		tried := tries(entries, verb, w.foreign)
		w.fig.refused += tried - n
		if verb == verbInit {
			w.fig.initialized += n
		}
		// Where blocks are replaced, or where another account may be quicker, a call
		// may come too late; otherwise the second one is money thrown away.
		excused := r.forked || verb == verbInit && r.plan.others ||
			slices.ContainsFunc(entries, func(e entry) bool { return slices.Contains(w.foreign, e.hash) })
		if n > 1 || tried > 1 && !excused {
			w.fig.duplicates++
			w.t.Errorf("round %d (%s): %s succeeded %d times in %d tries: %+v", r.number, r.plan, verb, n, tried, entries)
		}
	}
}

// tries are the entries of a verb whatever became of them, those of a foreign
// wallet left out.
func tries(entries []entry, verb string, foreign []common.Hash) (n int) {
	for _, e := range entries {
		if e.verb == verb && !slices.Contains(foreign, e.hash) {
			n++
		}
	}
	return n
}
