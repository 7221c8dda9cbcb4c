package chaos

import (
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/txmgr"
	"github.com/tuttinode/tutti/test/devnet/control"
)

// The environment of a longer run: how many rounds, and which.
const (
	roundsEnv = "TUTTI_CHAOS_ROUNDS"
	seedEnv   = "TUTTI_CHAOS_SEED"
)

// The bounded run: as many rounds as there are problems less a few, always the
// same.
const (
	boundedRounds = 14
	boundedSeed   = 1
)

func numberFrom(t *testing.T, name string, preset uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return preset
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// TestChaos plays rounds in which everything goes wrong: each must be rewarded,
// once, and after all of them the node must be at rest.
func TestChaos(t *testing.T) {
	seed := numberFrom(t, seedEnv, boundedSeed)
	rounds := numberFrom(t, roundsEnv, boundedRounds)
	t.Logf("%d rounds of seed %d", rounds, seed)
	w := newWorld(t, seed)
	w.fig.began = time.Now()
	first := w.head() + 1
	nonce := w.nonce()
	w.start(false)
	w.play(plan{others: true})
	s := newSchedule(w.dice)
	for range rounds - 3 {
		p, began := s.next(), time.Now()
		t.Logf("round %d: %s", w.round.number+1, p)
		w.play(p)
		t.Logf("round %d took %s", w.round.number, time.Since(began).Round(10*time.Millisecond))
	}
	w.settle()
	w.audit(first, nonce)
	w.fig.calls = w.calls()
	t.Logf("seed %d\n%s", seed, &w.fig)
}

// settle has two last rounds go by with a node that was just started, and waits
// until nothing is on its board or open in its journal.
func (w *world) settle() {
	w.t.Helper()
	w.restart(life.stop, false)
	w.play(plan{ailment: &ailment{Fault: control.Fault{Kind: control.HTTP500, Methods: []string{"logs"}},
		at: []int{0, 1}}})
	w.play(plan{others: true})
	l := w.node.(*inside)
	if !w.within(patience, func() bool { return len(l.board.Snapshot()) == 0 }) {
		w.t.Errorf("in calm there is still: %+v", l.board.Snapshot())
	}
	store, err := txmgr.OpenJournal(w.ctx(), l.db, w.chain.Info.ChainID, w.set.Account)
	w.must(err)
	open := func() (out []txmgr.Record) {
		records, err := store.Load(w.ctx())
		w.must(err)
		for _, r := range records {
			if !r.Settled {
				out = append(out, r)
			}
		}
		return out
	}
	if !w.within(patience, func() bool { return len(open()) == 0 }) {
		w.t.Errorf("not settled: %+v", open())
	}
}

// audit reads the whole run from the chain once more: reorgs may have
// changed what was true at a round's end.
func (w *world) audit(first protocol.L2Block, nonce uint64) {
	w.t.Helper()
	rewards, err := w.ledger.rewards(w.ctx(), first, 0)
	w.must(err)
	if len(rewards) != w.fig.rounds {
		w.t.Errorf("%d rewards in %d rounds", len(rewards), w.fig.rounds)
	}
	entries, err := w.ledger.entries(w.ctx(), first, w.head())
	w.must(err)
	for i, e := range entries {
		if e.nonce != nonce+uint64(i) {
			w.t.Fatalf("transaction %d of the run has nonce %d, not %d", i, e.nonce, nonce+uint64(i))
		}
	}
	if now := w.nonce(); now != nonce+uint64(len(entries)) {
		w.t.Errorf("%d transactions moved the nonce from %d to %d", len(entries), nonce, now)
	}
}
