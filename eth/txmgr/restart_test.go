package txmgr_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/txmgr"
)

// A process that dies before its n-th effect, whichever it is, and another one
// that goes on: the action is done once if it was journalled, and not at all if it
// was not.
func TestDeathAtAnyPoint(t *testing.T) {
	for n := 1; n <= 8; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			run(t, nil, func(t *testing.T, r *rig) {
				r.gate.dieAfter(n)
				s := r.send(act("a"), protocol.SendOptions{Once: "a"})
				for i := 0; i < 100 && !r.gate.dead(); i++ {
					r.beat(1)
				}
				r.kill()
				<-s.done
				journalled := len(r.journal.all()) == 1
				r.start()
				r.settledIf(journalled)
				want := 0
				if journalled {
					want = 1
				}
				if r.chain.done("a") != want || n > 1 != journalled {
					t.Errorf("done %d times, journalled: %v", r.chain.done("a"), journalled)
				}
				r.mined(r.send(act("a"), protocol.SendOptions{Once: "a"}))
				if r.chain.done("a") != 1 {
					t.Error("not once")
				}
			})
		})
	}
}

func (r *rig) settledIf(any bool) {
	r.t.Helper()
	if any {
		r.settled()
		return
	}
	r.beat(3)
}

func TestResumeFindsWhatHappenedMeanwhile(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		r.send(act("a"), protocol.SendOptions{Async: true})
		r.send(act("b"), protocol.SendOptions{Async: true})
		r.kill()
		r.chain.set(func() { delete(r.chain.pool, 1) })
		r.chain.mine(100)
		r.start()
		r.beat(1)
		all := r.m.Transactions()
		if all[0].State != protocol.TxMined || all[1].State != protocol.TxMined && all[1].State != protocol.TxSubmitted ||
			r.chain.used()+uint64(len(r.chain.pool)) != 2 {
			t.Errorf("%+v", all)
		}
		r.settled()
		if r.chain.done("a") != 1 || r.chain.done("b") != 1 {
			t.Error("not once")
		}
	})
}

func TestReplacementAfterARestart(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		r.send(act("a"), protocol.SendOptions{Async: true})
		first := r.chain.waiting(0)
		r.kill()
		r.start()
		r.idle(4 * time.Minute)
		if r.chain.waiting(0).Hash() != first.Hash() {
			t.Fatal("replaced before its time")
		}
		r.idle(2 * time.Minute)
		if now := r.chain.waiting(0); now.Hash() == first.Hash() || string(now.Data()) != "a" || now.Gas() != first.Gas() {
			t.Fatal("not replaced by the same with a higher fee")
		}
		r.settled()
	})
}

// A transaction that was signed while the clock was a day ahead is replaced in its time.
func TestReplacementAfterAClockThatWasAhead(t *testing.T) {
	ahead := func(o *txmgr.Options) { o.Now = func() time.Time { return time.Now().Add(24 * time.Hour) } }
	run(t, ahead, func(t *testing.T, r *rig) {
		r.send(act("a"), protocol.SendOptions{Async: true})
		first := r.chain.waiting(0)
		r.kill()
		r.opt.Now = time.Now
		r.start()
		r.idle(6 * time.Minute)
		if now := r.chain.waiting(0); now.Hash() == first.Hash() {
			t.Error("it is not replaced")
		}
		r.settled()
	})
}

func TestNothingIsSentWithoutTheJournal(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		full := fault.Wrap(fault.TxJournalFailed, "write", errors.New("disk full"))
		r.journal.set(full)
		s := r.send(act("a"), protocol.SendOptions{})
		other := r.send(act("b"), protocol.SendOptions{})
		r.beat(10)
		if s.over() || r.chain.calls["send"] != 0 || !r.condition(fault.TxJournalFailed) {
			t.Fatal("sent, failed, or not told")
		}
		r.journal.set(nil)
		if a, b := r.mined(s), r.mined(other); a.Nonce != 0 || b.Nonce != 1 || r.condition(fault.TxJournalFailed) {
			t.Error(a, b)
		}
		r.settled()
	})
}

func (j *memory) set(err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.fails = err
}

func TestAJournalThatCannotBeReadStopsTheStart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		r.stop()
		for _, broken := range []txmgr.Record{{ID: 1}, {ID: 1, Attempts: []txmgr.JournalAttempt{{Raw: []byte{1}}}}} {
			r.journal.records[1] = broken
			m := newManager(r)
			if err := m.Run(t.Context(), func() { t.Error("ready") }); !errors.Is(err, fault.TxJournalFailed) {
				t.Error(err)
			}
		}
	})
}

func TestStaleEndpointsGetNoUsedNonce(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		r.mined(r.send(act("a"), protocol.SendOptions{}))
		r.settled()
		kept := r.chain.blocks
		r.chain.set(func() { r.chain.blocks = kept[:30] })
		s := r.send(act("b"), protocol.SendOptions{Async: true})
		r.chain.set(func() { r.chain.blocks = kept })
		if s.tx.Nonce != 1 {
			t.Errorf("%+v", s.tx)
		}
		r.settled()
	})
}
