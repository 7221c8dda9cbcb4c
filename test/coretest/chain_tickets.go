package coretest

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/pm"
)

// broker is what the ticket broker knows besides senders' funds.
type broker struct {
	// used names the transaction of each ticket that was redeemed.
	used    map[protocol.Hash]protocol.TxHash
	payouts map[protocol.TxHash][]protocol.Payout
	// claims are of the present round.
	claims map[claim]core.Wei
	others uint64
}

// claim is what one recipient drew of one sender's reserve.
type claim struct{ sender, recipient core.Address }

func newBroker() broker {
	return broker{used: make(map[protocol.Hash]protocol.TxHash), payouts: make(map[protocol.TxHash][]protocol.Payout),
		claims: make(map[claim]core.Wei)}
}

// checkTicket makes the contract's checks in its order. The caller holds mu.
func (c *Chain) checkTicketLocked(t *protocol.WinningTicket) error {
	refuse := func(code fault.Code, detail string) error {
		return fault.New(code, protocol.RedeemTicket{}.Verb(), detail)
	}
	known := c.hashes[t.CreationRound]
	_, used := c.broker.used[t.Hash()]
	hash := t.Hash()
	switch {
	case t.Recipient.IsZero() || t.Sender.IsZero():
		return refuse(fault.TicketMalformed, "the ticket has no sender or no recipient")
	case known.IsZero() || known != t.CreationRoundHash:
		return refuse(fault.TicketRoundUnknown, fmt.Sprintf("round %d", t.CreationRound))
	case t.CreationRound+c.params.TicketValidity <= c.round.Number:
		return refuse(fault.TicketExpired, fmt.Sprintf("of round %d, this is %d", t.CreationRound, c.round.Number))
	case pm.RandHash(t.RecipientRand) != t.RecipientRandHash:
		return refuse(fault.TicketSecretWrong, "")
	case used:
		return refuse(fault.TicketUsed, "")
	case signature.EthVerify(common.Address(t.Sender), hash[:], t.Signature[:]) != nil:
		return refuse(fault.TicketSignatureWrong, "")
	case !pm.Wins(t.Signature[:], t.RecipientRand, t.WinProb):
		return refuse(fault.TicketNotWinning, "")
	}
	return c.checkPayer(t, refuse)
}

func (c *Chain) checkPayer(t *protocol.WinningTicket, refuse func(fault.Code, string) error) error {
	s := c.accountLocked(t.Sender).sender
	paid, _ := c.payoutOfLocked(t)
	switch {
	case s.WithdrawRound != 0 && s.WithdrawRound <= c.round.Number:
		return refuse(fault.SenderUnlocked, fmt.Sprintf("since round %d", s.WithdrawRound))
	case s.Deposit.IsZero() && s.Reserve.FundsRemaining.IsZero():
		return refuse(fault.SenderEmpty, "")
	case !paid.IsZero() && !c.orchestratorLocked(t.Recipient).Active:
		return refuse(fault.RecipientInactive, "")
	}
	return nil
}

// payoutOf is what a ticket pays now, and the part of it from the reserve.
// The caller holds mu.
func (c *Chain) payoutOfLocked(t *protocol.WinningTicket) (paid, reserve core.Wei) {
	s := c.accountLocked(t.Sender).sender
	if t.FaceValue.Cmp(s.Deposit) <= 0 {
		return t.FaceValue, core.Wei{}
	}
	reserve = t.FaceValue.Sub(s.Deposit)
	if most := c.claimableLocked(t.Sender, t.Recipient); reserve.Cmp(most) > 0 {
		reserve = most
	}
	return s.Deposit.Add(reserve), reserve
}

// claimable is what a recipient may draw of a reserve. The caller holds mu.
func (c *Chain) claimableLocked(sender, recipient core.Address) core.Wei {
	if len(c.pool) == 0 || !c.orchestratorLocked(recipient).Active {
		return core.Wei{}
	}
	r := c.accountLocked(sender).sender.Reserve
	all := r.FundsRemaining.Add(r.ClaimedInCurrentRound).Big()
	share, _ := core.WeiOf(all.Quo(all, big.NewInt(int64(len(c.pool)))))
	claimed := c.broker.claims[claim{sender, recipient}]
	if share.Cmp(claimed) < 0 {
		return core.Wei{}
	}
	return share.Sub(claimed)
}

// redeem pays a ticket that was checked, and returns what undoes that. The caller
// holds mu.
func (c *Chain) redeemLocked(
	t protocol.WinningTicket,
	tx protocol.TxHash,
	gas protocol.Gas,
	fee core.Wei,
) (undo func()) {
	paid, reserve := c.payoutOfLocked(&t)
	deposit, round, key := paid.Sub(reserve), c.round.Number, claim{t.Sender, t.Recipient}
	s, b := &c.accountLocked(t.Sender).sender, &c.broker
	s.Deposit, s.Reserve.FundsRemaining = s.Deposit.Sub(deposit), s.Reserve.FundsRemaining.Sub(reserve)
	s.Reserve.ClaimedInCurrentRound = s.Reserve.ClaimedInCurrentRound.Add(reserve)
	b.claims[key] = b.claims[key].Add(reserve)
	c.accountLocked(t.Recipient).fees = c.accountLocked(t.Recipient).fees.Add(paid)
	b.used[t.Hash()] = tx
	p := protocol.Payout{
		Sender: t.Sender, Recipient: t.Recipient, SenderNonce: t.SenderNonce, RecipientRand: t.RecipientRand,
		FaceValue: t.FaceValue,
		Paid:      paid, FromReserve: reserve, Tx: tx, Block: c.head.Number, Gas: gas, Fee: fee,
	}
	b.payouts[tx] = append(b.payouts[tx], p)
	if t.Recipient == c.self {
		c.emitLocked(protocol.TicketRedeemed{Payout: p})
	}
	c.emitLocked(protocol.SenderSeen{Address: t.Sender, Sender: *s})
	return func() {
		s.Deposit, s.Reserve.FundsRemaining = s.Deposit.Add(deposit), s.Reserve.FundsRemaining.Add(reserve)
		if c.round.Number == round {
			s.Reserve.ClaimedInCurrentRound = s.Reserve.ClaimedInCurrentRound.Sub(reserve)
			b.claims[key] = b.claims[key].Sub(reserve)
		}
		c.accountLocked(t.Recipient).fees = c.accountLocked(t.Recipient).fees.Sub(paid)
		delete(b.used, t.Hash())
		delete(b.payouts, tx)
		c.emitLocked(protocol.SenderSeen{Address: t.Sender, Sender: *s})
	}
}

// forgetClaims begins a round in which no reserve has been drawn on. The caller
// holds mu.
func (c *Chain) forgetClaimsLocked() {
	clear(c.broker.claims)
	for _, a := range c.accounts {
		a.sender.Reserve.ClaimedInCurrentRound = core.Wei{}
	}
}

// RedeemElsewhere redeems a ticket as another account would, in a block of its own.
func (c *Chain) RedeemElsewhere(t protocol.WinningTicket) error {
	return c.change(func() error {
		if err := c.checkLocked(protocol.RedeemTicket{Ticket: t}); err != nil {
			return err
		}
		c.growLocked(1, 0)
		c.broker.others++
		c.redeemLocked(t, sha256.Sum256(binary.BigEndian.AppendUint64([]byte("another's tx"), c.broker.others)), 0,
			core.Wei{})
		return nil
	})
}

// SenderFunds returns a gateway's funds as the watched orchestrator sees them.
func (c *Chain) SenderFunds(ctx context.Context, address core.Address) (protocol.SenderFunds, error) {
	if err := c.reading(ctx); err != nil {
		return protocol.SenderFunds{}, err
	}
	defer c.mu.Unlock()
	return protocol.SenderFunds{Sender: c.accountLocked(address).sender,
		Claimed: c.broker.claims[claim{address, c.self}]}, nil
}

// TicketUsed reports whether a ticket was redeemed.
func (c *Chain) TicketUsed(ctx context.Context, ticket protocol.Hash) (bool, error) {
	if err := c.reading(ctx); err != nil {
		return false, err
	}
	defer c.mu.Unlock()
	_, used := c.broker.used[ticket]
	return used, nil
}

// Payouts returns what a transaction redeemed.
func (c *Chain) Payouts(ctx context.Context, tx protocol.TxHash) ([]protocol.Payout, error) {
	if err := c.reading(ctx); err != nil {
		return nil, err
	}
	defer c.mu.Unlock()
	return slices.Clone(c.broker.payouts[tx]), nil
}

// FindPayout returns the redemption of a ticket.
func (c *Chain) FindPayout(ctx context.Context, ticket protocol.WinningTicket) (protocol.Payout, bool, error) {
	if err := c.reading(ctx); err != nil {
		return protocol.Payout{}, false, err
	}
	defer c.mu.Unlock()
	for _, p := range c.broker.payouts[c.broker.used[ticket.Hash()]] {
		if p.Sender == ticket.Sender && p.SenderNonce == ticket.SenderNonce && p.RecipientRand == ticket.RecipientRand {
			return p, true, nil
		}
	}
	return protocol.Payout{}, false, nil
}

// redeemAll redeems those of a batch that the contract takes and that the gas is enough
// for, and returns what undoes that. The caller holds mu.
func (c *Chain) redeemAllLocked(t *chainTx, tickets []protocol.WinningTicket) (undo func()) {
	var taken []protocol.WinningTicket
	var undos []func()
	for i := range tickets {
		if t.gas < protocol.Gas(i+1)*chainGas || c.checkTicketLocked(&tickets[i]) != nil {
			continue
		}
		taken = append(taken, tickets[i])
		undos = append(undos, c.redeemLocked(tickets[i], t.tx.Hash, chainGas, core.Wei{}))
	}
	all := c.broker.payouts[t.tx.Hash]
	for i := range all {
		all[i].Fee = t.tx.Fee.Share(i, len(taken))
	}
	return func() {
		for _, undo := range slices.Backward(undos) {
			undo()
		}
	}
}
