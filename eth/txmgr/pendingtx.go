package txmgr

import (
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/core/types"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// pendingTx is a record that is not settled, and its state in this process.
type pendingTx struct {
	rec Record
	// intent is what the caller sent; nil after a restart.
	intent Intent
	txs    []*types.Transaction // those of rec.Attempts
	// dirty: the journal does not hold rec as it is. A dirty record is not sent.
	dirty   bool
	waiters []*request
	// cause is the fault of a failure; rec keeps only its code and text.
	cause error

	// prefer is the attempt that a reorg undid, which is sent again; -1 for the newest.
	prefer   int
	nextSend time.Time
	// nextPrice is when a higher price is tried again.
	nextPrice time.Time
	// pricedOut: a higher offer would be above the largest price. unsignable: the key does not sign it again,
	// for example because the contracts have moved since.
	pricedOut, unsignable bool
	tries                 int // sends in a row that were not taken
	// frontSince is when it became the first that is in no block.
	frontSince time.Time
	// usedSince is when its nonce was first seen used by none of its attempts.
	usedSince time.Time
	// answered is what the endpoints' last answer meant. It is underfunded only where the balance is below its
	// maximum cost.
	answered outcome
	refusal  *refusal // nil where an endpoint may take it
	// foreign: another transaction used its nonce for good. It waits for resend, the request that does its
	// action again.
	foreign bool
	resend  *request
	// resendOf is the transaction whose action this one does again. Both go into the journal together.
	resendOf *pendingTx
}

// refusal is why every endpoint refuses a transaction, and since when; permanent: that will not change.
type refusal struct {
	err       error
	since     time.Time
	permanent bool
}

// restorePending makes the pending transaction of a journal record.
func restorePending(r Record) (*pendingTx, error) {
	f := &pendingTx{rec: r, prefer: -1}
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

// originalIntent returns the caller's intent, or the journal's form of it.
func (f *pendingTx) originalIntent() Intent {
	if f.intent != nil {
		return f.intent
	}
	return f.rec.Call
}

// last returns the newest attempt.
func (f *pendingTx) last() *types.Transaction { return f.txs[len(f.txs)-1] }

// signed returns when the newest attempt was made.
func (f *pendingTx) signed() time.Time { return f.rec.Attempts[len(f.rec.Attempts)-1].Signed }

// canceling reports whether the newest attempt only uses up the nonce.
func (f *pendingTx) canceling() bool { return f.rec.Attempts[len(f.rec.Attempts)-1].Cancel }

// replaced counts the attempts that replaced one that could have been mined, cancels excluded.
func (f *pendingTx) replaced() (n int) {
	for _, a := range f.rec.Attempts[1:] {
		if !a.Cancel && !a.Repriced {
			n++
		}
	}
	return n
}

// remade counts the attempts after the first, cancels excluded.
func (f *pendingTx) remade() (n int) {
	for _, a := range f.rec.Attempts[1:] {
		if !a.Cancel {
			n++
		}
	}
	return n
}

// attempt adds a signed transaction.
func (f *pendingTx) attempt(tx *types.Transaction, cancel bool, now time.Time) error {
	raw, err := tx.MarshalBinary()
	if err != nil {
		return err
	}
	f.rec.Attempts = append(f.rec.Attempts, JournalAttempt{Hash: protocol.TxHash(tx.Hash()), Raw: raw, Cancel: cancel,
		Signed: now})
	f.txs = append(f.txs, tx)
	f.rec.Update, f.dirty = now, true
	f.nextSend, f.tries, f.prefer = now, 0, -1
	f.refusal = nil
	return nil
}

// wanted reports whether a caller waits, or the action must happen once.
func (f *pendingTx) wanted() bool {
	f.waiters = waitingRequests(f.waiters)
	return len(f.waiters) > 0 || f.rec.Once != ""
}

// maxCost returns what the account must hold for the most expensive attempt.
func (f *pendingTx) maxCost() core.Wei {
	var most core.Wei
	for _, tx := range f.txs {
		if cost, err := core.WeiOf(tx.Cost()); err == nil && cost.Cmp(most) > 0 {
			most = cost
		}
	}
	return most
}

// maxGasCost returns the gas part of it.
func (f *pendingTx) maxGasCost() core.Wei {
	var most core.Wei
	for _, tx := range f.txs {
		most = maxWei(most, gasCost(protocol.Gas(tx.Gas()), weiOf(tx.GasFeeCap())))
	}
	return most
}

// answer answers all waiting requests.
func (f *pendingTx) answer(err error) {
	for _, w := range f.waiters {
		w.reply(reply{tx: f.view(), err: err})
	}
	f.waiters = nil
}

// failure is the fault of a failed or dropped record.
func (f *pendingTx) failure() error {
	if f.cause != nil {
		return f.cause
	}
	return failureOf(f.rec)
}

func failureOf(r Record) error { return fault.New(r.Code, r.Call.Verb, r.Reason) }

// view returns the transaction as Transactions shows it.
func (f *pendingTx) view() protocol.Transaction { return viewOf(f.rec) }

func viewOf(r Record) protocol.Transaction {
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
