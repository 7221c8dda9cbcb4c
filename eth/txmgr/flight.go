package txmgr

import (
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/core/types"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/journal"
)

// flight is a record that is not settled, and what only this process knows of it.
type flight struct {
	rec journal.Record
	// intent is what the caller sent; nil after a restart.
	intent Intent
	txs    []*types.Transaction // those of rec.Attempts
	// dirty: the journal does not hold rec as it is. What is dirty is not sent.
	dirty   bool
	waiters []*request
	// cause is the fault of a failure; rec keeps only its code and text.
	cause error

	// prefer is the attempt that a reorganisation undid, which is sent again; -1 for
	// the newest.
	prefer   int
	nextSend time.Time
	// nextPrice is when a higher price is thought of again.
	nextPrice time.Time
	// pricedOut: more than it pays is above the largest price. unsignable: the key
	// does not sign it again, because the contracts have moved since, maybe.
	pricedOut, unsignable bool
	tries                 int // sends in a row that were not taken
	// frontSince is when it became the first that is in no block.
	frontSince time.Time
	// usedSince is when its nonce was first seen used by none of its attempts.
	usedSince time.Time
	nonceLow  bool
	nonceHigh bool
	// poor: an endpoint said last that the account cannot pay for it, and the balance
	// was smaller than it costs at most.
	poor bool
	// refused is why every endpoint refuses it, refusedSince since when; hopeless
	// when that is not going to change.
	refused      error
	refusedSince time.Time
	hopeless     bool
	// foreign: another transaction has its nonce for good. It waits for heir, the
	// request that does its action again.
	foreign bool
	heir    *request
	// heirOf is the one that this does again. Both go into the journal together.
	heirOf *flight
}

// restored is a flight from the journal.
func restored(r journal.Record) (*flight, error) {
	f := &flight{rec: r, prefer: -1}
	for _, a := range r.Attempts {
		tx := new(types.Transaction)
		if err := tx.UnmarshalBinary(a.Raw); err != nil {
			return nil, fault.Wrap(fault.TxJournalFailed, fmt.Sprintf("read transaction %d from the journal", r.ID), err)
		}
		f.txs = append(f.txs, tx)
	}
	if len(f.txs) == 0 {
		return nil, fault.New(fault.TxJournalFailed, "read the journal", fmt.Sprintf("transaction %d was never signed", r.ID))
	}
	return f, nil
}

// meant is the intent in the form there is.
func (f *flight) meant() Intent {
	if f.intent != nil {
		return f.intent
	}
	return f.rec.Call
}

// last is the newest attempt.
func (f *flight) last() *types.Transaction { return f.txs[len(f.txs)-1] }

// signed is when the newest attempt was made.
func (f *flight) signed() time.Time { return f.rec.Attempts[len(f.rec.Attempts)-1].Signed }

// cancelling reports whether the newest attempt does nothing but use the nonce.
func (f *flight) cancelling() bool { return f.rec.Attempts[len(f.rec.Attempts)-1].Cancel }

// replaced counts the attempts that took the place of one that could have been
// mined, and do what was asked for.
func (f *flight) replaced() (n int) {
	for _, a := range f.rec.Attempts[1:] {
		if !a.Cancel && !a.Repriced {
			n++
		}
	}
	return n
}

// remade counts the attempts after the first that do what was asked for.
func (f *flight) remade() (n int) {
	for _, a := range f.rec.Attempts[1:] {
		if !a.Cancel {
			n++
		}
	}
	return n
}

// attempt adds a signed transaction.
func (f *flight) attempt(tx *types.Transaction, cancel bool, now time.Time) error {
	raw, err := tx.MarshalBinary()
	if err != nil {
		return err
	}
	f.rec.Attempts = append(f.rec.Attempts, journal.Attempt{Hash: protocol.TxHash(tx.Hash()), Raw: raw, Cancel: cancel, Signed: now})
	f.txs = append(f.txs, tx)
	f.rec.Update, f.dirty = now, true
	f.nextSend, f.tries, f.prefer = now, 0, -1
	f.refused, f.refusedSince = nil, time.Time{}
	return nil
}

// wanted reports whether somebody waits, or the action must happen once.
func (f *flight) wanted() bool {
	f.waiters = present(f.waiters)
	return len(f.waiters) > 0 || f.rec.Once != ""
}

// most is what the account must hold for the dearest attempt.
func (f *flight) most() core.Wei {
	var most core.Wei
	for _, tx := range f.txs {
		if cost, err := core.WeiOf(tx.Cost()); err == nil && cost.Cmp(most) > 0 {
			most = cost
		}
	}
	return most
}

// mostGas is the part of it that goes for gas.
func (f *flight) mostGas() core.Wei {
	var most core.Wei
	for _, tx := range f.txs {
		most = larger(most, times(protocol.Gas(tx.Gas()), weiOf(tx.GasFeeCap())))
	}
	return most
}

// answer tells everybody who waits.
func (f *flight) answer(err error) {
	for _, w := range f.waiters {
		w.reply(reply{tx: f.view(), err: err})
	}
	f.waiters = nil
}

// failure is the fault of a failed or dropped record.
func (f *flight) failure() error {
	if f.cause != nil {
		return f.cause
	}
	return failureOf(f.rec)
}

func failureOf(r journal.Record) error { return fault.New(r.Code, r.Call.Verb, r.Reason) }

// view is the flight for Transactions.
func (f *flight) view() protocol.Transaction { return viewOf(f.rec) }

func viewOf(r journal.Record) protocol.Transaction {
	t := protocol.Transaction{
		ID: r.ID, Verb: r.Call.Verb, About: r.Call.About, State: r.State, Nonce: r.Nonce, Gas: r.Gas, Once: r.Once,
		Sent: r.Sent, Update: r.Update, Replaced: max(len(r.Attempts)-1, 0),
	}
	at := len(r.Attempts) - 1
	if p := r.Mined; p != nil {
		at, t.Block, t.Gas, t.Fee = p.Attempt, p.Block, p.GasUsed, p.Fee
	}
	if at >= 0 && at < len(r.Attempts) {
		t.Hash = r.Attempts[at].Hash
	}
	if r.Code != "" {
		t.Reason = string(r.Code)
		if r.Reason != "" {
			t.Reason += ": " + r.Reason
		}
	}
	return t
}
