package coretest

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/big"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// chainTx is a transaction and what it is about.
type chainTx struct {
	tx     protocol.Transaction
	action protocol.Action
	once   string
	gas    protocol.Gas
	err    error
	// undone: it took effect before a reorg, which did not change that.
	undone bool
	// undo takes the effect back, where a reorg does.
	undo func()
}

// chainGas is what every transaction takes.
const chainGas = 250_000

// fee is what a transaction of the present block costs. The caller holds mu.
func (c *Chain) feeLocked() core.Wei {
	fee, _ := core.WeiOf(new(big.Int).Mul(c.head.BaseFee.Big(), big.NewInt(chainGas)))
	return fee
}

// gasOf returns what an action takes.
func gasOf(a protocol.Action) protocol.Gas {
	if batch, ok := a.(protocol.RedeemTickets); ok {
		return chainGas * protocol.Gas(len(batch.Tickets))
	}
	return chainGas
}

// Account returns the acting account.
func (c *Chain) Account() core.Address { return c.account }

// Send does the action, in a block of its own unless transactions are held.
func (c *Chain) Send(ctx context.Context, a protocol.Action, opt protocol.SendOptions) (protocol.Transaction, error) {
	if err := ctx.Err(); err != nil {
		return protocol.Transaction{}, fault.Wrap(fault.CodeOf(err), a.Verb(), err)
	}
	var t *chainTx
	err := c.change(func() (err error) {
		t, err = c.submitLocked(a, opt)
		return err
	})
	if err != nil {
		return protocol.Transaction{}, err
	}
	return c.await(ctx, t, opt.Async)
}

// submit makes the transaction, or finds the one that Once names. The caller
// holds mu.
func (c *Chain) submitLocked(a protocol.Action, opt protocol.SendOptions) (*chainTx, error) {
	if t := c.sentOnce(opt.Once); t != nil {
		return t, nil
	}
	if opt.Until != 0 && c.head.L1 > opt.Until {
		return nil, fault.New(fault.TxExpired, a.Verb(), fmt.Sprintf("block %d is past %d", c.head.L1, opt.Until))
	}
	if err := c.mayActLocked(a); err != nil {
		return nil, err
	}
	n := uint64(len(c.txs))
	t := &chainTx{action: a, once: opt.Once, gas: opt.Gas, tx: protocol.Transaction{
		ID: n + 1, Once: opt.Once, Verb: a.Verb(), State: protocol.TxSubmitted, Nonce: n, Sent: c.head.Time,
		Update: c.head.Time,
		Hash:   sha256.Sum256(binary.BigEndian.AppendUint64([]byte("tx"), n)),
	}}
	c.txs = append(c.txs, t)
	c.sent = append(c.sent, a)
	if !c.hold {
		c.growLocked(1, 0)
		c.mineLocked(t)
	}
	return t, nil
}

func (c *Chain) sentOnce(once string) *chainTx {
	for _, t := range c.txs {
		if once != "" && t.once == once && t.tx.State != protocol.TxFailed && t.tx.State != protocol.TxDropped {
			return t
		}
	}
	return nil
}

// mayAct is what is checked before an action is sent. The caller holds mu.
func (c *Chain) mayActLocked(a protocol.Action) error {
	if c.account.IsZero() {
		return fault.New(fault.AccountMissing, a.Verb(), "")
	}
	if c.failRead != nil {
		return c.failRead
	}
	if c.refuse != nil {
		if err := c.refuse(a); err != nil {
			return err
		}
	}
	return c.checkLocked(a)
}

// mine gives the transaction its effect. The caller holds mu.
func (c *Chain) mineLocked(t *chainTx) {
	t.tx.Block, t.tx.Update, t.tx.Gas = c.head.Number, c.head.Time, gasOf(t.action)
	t.tx.Fee, _ = core.WeiOf(new(big.Int).Mul(c.head.BaseFee.Big(), new(big.Int).SetUint64(uint64(t.tx.Gas))))
	t.tx.State = protocol.TxMined
	if t.undone {
		t.undone = false
		return
	}
	if t.err = c.checkLocked(t.action); t.err != nil {
		code, text := fault.Public(t.err)
		t.tx.State, t.tx.Reason = protocol.TxFailed, string(code)+": "+text
		return
	}
	c.accountLocked(c.account).ether = c.accountLocked(c.account).ether.Sub(t.tx.Fee)
	switch a := t.action.(type) {
	case protocol.RedeemTicket:
		t.undo = c.redeemLocked(a.Ticket, t.tx.Hash, t.tx.Gas, t.tx.Fee)
	case protocol.RedeemTickets:
		t.undo = c.redeemAllLocked(t, a.Tickets)
	default:
		c.applyLocked(t)
	}
}

// settle makes mined transactions final and mines those on their way. The caller
// holds mu.
func (c *Chain) settleLocked() {
	for _, t := range c.txs {
		switch t.tx.State {
		case protocol.TxMined:
			t.tx.State = protocol.TxFinal
		case protocol.TxSubmitted:
			c.mineLocked(t)
		}
	}
}

// await returns the transaction when it is mined, or at once.
func (c *Chain) await(ctx context.Context, t *chainTx, async bool) (protocol.Transaction, error) {
	for {
		c.mu.Lock()
		tx, err, wake := t.tx, t.err, c.wake
		c.mu.Unlock()
		if async || tx.State != protocol.TxSubmitted {
			return tx, err
		}
		select {
		case <-ctx.Done():
			return tx, fault.Wrap(fault.CodeOf(ctx.Err()), tx.Verb, ctx.Err())
		case <-wake:
		}
	}
}

// Estimate says what the action would cost, or why it fails.
func (c *Chain) Estimate(ctx context.Context, a protocol.Action) (protocol.Estimate, error) {
	if err := c.reading(ctx); err != nil {
		return protocol.Estimate{}, err
	}
	defer c.mu.Unlock()
	if err := c.mayActLocked(a); err != nil {
		return protocol.Estimate{}, err
	}
	fee := c.feeLocked()
	return protocol.Estimate{Verb: a.Verb(), Gas: chainGas, Price: c.head.BaseFee, Fee: fee, Need: fee.Add(pays(a)),
		Used: chainGas, Current: c.head.BaseFee, Left: c.accountLocked(c.account).ether}, nil
}

// pays returns the ether that an action moves itself.
func pays(a protocol.Action) core.Wei {
	switch a := a.(type) {
	case protocol.FundDeposit:
		return a.Amount
	case protocol.FundDepositAndReserve:
		return a.Deposit.Add(a.Reserve)
	}
	return core.Wei{}
}

// Transactions returns all that were sent, the newest last.
func (c *Chain) Transactions() []protocol.Transaction {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := make([]protocol.Transaction, 0, len(c.txs))
	for _, t := range c.txs {
		all = append(all, t.tx)
	}
	return all
}
