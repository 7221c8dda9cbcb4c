package admin

import (
	"context"
	"errors"
	"fmt"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// bondGas stands in for the cost of a bond that cannot be tried before the bonding
// contract may take the tokens. Source: core/activation's measure.
const bondGas protocol.Gas = 850_000

// send does an action and waits until it is mined, or only until it is sent.
func (s *Server) send(ctx context.Context, a protocol.Action, async bool) (protocol.Transaction, error) {
	tx, err := s.opts.Chain.Actor.Send(ctx, a, protocol.SendOptions{Async: async})
	changeOf(ctx).sent(tx)
	return tx, waitOver(ctx, tx, err)
}

// waitOver makes the error of a wait that ended before its transaction did.
func waitOver(ctx context.Context, tx protocol.Transaction, err error) error {
	if err == nil || ctx.Err() == nil || tx.Hash.IsZero() || tx.State != protocol.TxSubmitted {
		return err
	}
	return &fault.Fault{
		Code: fault.TransactionPending, Op: tx.Verb, Err: err,
		Detail: "timed out waiting for transaction receipt txHash=" + tx.Hash.String(),
	}
}

// approval is what has to be done before a bond so that it can take its tokens;
// nil where nothing has. The amount is exactly the bond's.
func (s *Server) approval(ctx context.Context, a protocol.Action) (protocol.Action, error) {
	bond, ok := a.(protocol.Bond)
	if !ok || bond.Amount.IsZero() {
		return nil, nil
	}
	have, err := s.opts.Chain.Funds.Balances(ctx, s.opts.Chain.Actor.Account())
	if err != nil || have.Allowance.Cmp(bond.Amount) >= 0 {
		return nil, err
	}
	return protocol.Approve{Amount: bond.Amount}, nil
}

// act does an action and what it needs before.
func (s *Server) act(ctx context.Context, a protocol.Action, async bool) (adminapi.ActionResult, error) {
	var out adminapi.ActionResult
	first, err := s.approval(ctx, a)
	if err != nil {
		return out, err
	}
	if first != nil {
		tx, err := s.send(ctx, first, false)
		if err != nil {
			return out, fmt.Errorf("before %s: %w", a.Verb(), err)
		}
		out.Before = append(out.Before, transactionOf(tx))
	}
	tx, err := s.send(ctx, a, async)
	if !tx.Hash.IsZero() {
		answer := transactionOf(tx)
		out.Transaction = &answer
	}
	return out, err
}

// estimate says what act would cost.
func (s *Server) estimate(ctx context.Context, a protocol.Action) (adminapi.Estimate, error) {
	actor := s.opts.Chain.Actor
	first, err := s.approval(ctx, a)
	if err != nil {
		return adminapi.Estimate{}, err
	}
	e, err := actor.Estimate(ctx, a)
	if err == nil || first == nil || !errors.Is(err, fault.AllowanceMissing) {
		return estimateOf(e), err
	}
	if e, err = actor.Estimate(ctx, first); err != nil {
		return adminapi.Estimate{}, err
	}
	e.Verb, e.About = a.Verb(), "with the approval before it; the bond's own part is typical, because it can be tried only afterwards"
	more := protocol.Estimate{Gas: bondGas, Price: e.Price}
	fee := feeOf(more)
	e.Gas, e.Fee, e.Need = e.Gas+bondGas, e.Fee.Add(fee), e.Need.Add(fee)
	return estimateOf(e), nil
}
