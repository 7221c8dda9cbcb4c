package recipient_test

import (
	"context"
	"maps"
	"slices"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// check compares the recipient, its books and the reference.
func (w *world) check() {
	w.t.Helper()
	snap := w.Snapshot(context.Background())
	for _, a := range snap.Accounts {
		want := w.ref.account(a.Account)
		if a.Balance.Cmp(want.balance) != 0 || a.InProgress.Cmp(want.inHand) != 0 || a.Jobs != want.jobs {
			w.t.Errorf("step %d: %+v, want %+v", w.step, a, want)
		}
		if a.Balance.Add(w.ref.dearest[a.Account]).Sign() < 0 {
			w.t.Errorf("step %d: %v is more than one piece of work, %v, below nothing", w.step, a.Balance,
				w.ref.dearest[a.Account])
		}
	}
	w.disk.mu.Lock()
	defer w.disk.mu.Unlock()
	w.disk.flush(len(w.disk.booked))
	if w.disk.credits.Cmp(w.ref.accepted) != 0 {
		w.t.Errorf("step %d: credited %v, the tickets were worth %v", w.step, w.disk.credits, w.ref.accepted)
	}
	if w.disk.debits.Add(w.disk.lost).Cmp(w.ref.billed) != 0 {
		w.t.Errorf("step %d: billed %v and %v lost in crashes, the work came to %v", w.step, w.disk.debits, w.disk.lost,
			w.ref.billed)
	}
	sum := w.disk.left
	for _, v := range w.disk.balances {
		sum = sum.Add(v)
	}
	if sum.Cmp(w.disk.credits.Sub(w.disk.debits)) != 0 {
		w.t.Errorf("step %d: the accounts have %v, %v less %v came in", w.step, sum, w.disk.credits, w.disk.debits)
	}
	for hash := range w.ref.winners {
		if _, known := w.disk.winners[hash]; !known {
			w.t.Errorf("step %d: the winner %v was lost", w.step, hash)
		}
	}
	if len(w.disk.winners) != len(w.ref.winners) {
		w.t.Errorf("step %d: %d winners, want %d", w.step, len(w.disk.winners), len(w.ref.winners))
	}
	w.broker.check(w)
}

// summary says what was played, and that everything was.
func (w *world) summary() {
	for _, k := range slices.Sorted(maps.Keys(w.counts)) {
		w.t.Log(k, w.counts[k])
	}
	w.t.Logf("%d winners, %d redeemed for good", len(w.ref.winners), len(w.broker.final))
	for _, what := range []string{"quote", "pay", "replay", "work", "refund", "reorg", "redeem", "undone",
		"restart, crash: true", "restart, crash: false"} {
		if w.counts[what] == 0 {
			w.t.Errorf("no %s was played", what)
		}
	}
}

// broker is the contract and the redeemer at it, as simple as can be: a winner whose
// parameters have expired is redeemed once, in a block that may be undone.
type broker struct {
	used map[protocol.Hash]bool
	// mined are redemptions that may be undone, in order; final cannot.
	mined []protocol.Hash
	final map[protocol.Hash]core.Wei
	// queue is what the recipient reported and is not redeemed.
	queue []pm.Winner
	paid  int
}

func newBroker() *broker {
	return &broker{used: make(map[protocol.Hash]bool), final: make(map[protocol.Hash]core.Wei)}
}

// turn redeems one winner, or makes a redemption final.
func (b *broker) turn(w *world) {
	b.queue = append(b.queue, w.won...)
	w.won = nil
	if len(b.mined) > 5 {
		b.final[b.mined[0]] = w.disk.winners[b.mined[0]].Ticket.FaceValue
		b.mined = b.mined[1:]
	}
	if len(b.queue) == 0 {
		return
	}
	i := w.dice.IntN(len(b.queue))
	win := b.queue[i]
	if win.ExpirationBlock > w.chain.view.Head.L1 {
		return // its random number is still good for tickets
	}
	b.queue = slices.Delete(b.queue, i, i+1)
	if b.used[win.Hash] {
		return // told twice, after a crash; the contract reverts
	}
	w.counts["redeem"]++
	if !pm.Wins(win.Ticket.Signature[:], win.Ticket.RecipientRand, win.Ticket.WinProb) ||
		pm.RandHash(win.Ticket.RecipientRand) != win.Ticket.RecipientRandHash {
		w.t.Errorf("the contract reverts: %+v", win)
	}
	b.used[win.Hash] = true
	b.mined = append(b.mined, win.Hash)
	b.paid++
}

// undo takes the last redemptions back, and queues them again.
func (b *broker) undo(w *world) {
	for range w.dice.IntN(3) {
		if len(b.mined) == 0 {
			return
		}
		w.counts["undone"]++
		hash := b.mined[len(b.mined)-1]
		b.mined = b.mined[:len(b.mined)-1]
		delete(b.used, hash)
		b.queue = append(b.queue, w.disk.winners[hash])
		b.paid--
	}
}

// check says that every winner is in one place, and none was paid twice.
func (b *broker) check(w *world) {
	places := make(map[protocol.Hash]string)
	record := func(hash protocol.Hash, place string) {
		if was := places[hash]; was != "" && was != place {
			w.t.Errorf("step %d: the winner %v is %s and %s", w.step, hash, was, place)
		}
		places[hash] = place
	}
	for hash := range b.final {
		record(hash, "final")
	}
	for _, hash := range b.mined {
		record(hash, "mined")
	}
	for _, list := range [][]pm.Winner{b.queue, w.won} {
		for i := range list {
			if !b.used[list[i].Hash] {
				record(list[i].Hash, "queued")
			}
		}
	}
	if len(places) != len(w.disk.winners) {
		w.t.Errorf("step %d: %d winners are on their way, the books have %d", w.step, len(places), len(w.disk.winners))
	}
	if b.paid != len(b.mined)+len(b.final) {
		w.t.Errorf("step %d: paid %d times for %d winners", w.step, b.paid, len(b.mined)+len(b.final))
	}
}
