package admin

import (
	"context"
	"errors"
	"fmt"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// bondGas is the assumed gas of a bond, which cannot be simulated before the bonding contract
// has its allowance. Source: core/protocol's measurement.
const bondGas protocol.Gas = 850_000

// approval returns the approval that a bond needs first, nil for none. The amount is exactly the
// bond's. It costs gas, so a bond that would fail anyway is refused here.
func (s *Server) approval(ctx context.Context, a protocol.Action) (protocol.Action, error) {
	bond, ok := a.(protocol.Bond)
	if !ok || bond.Amount.IsZero() {
		return nil, nil
	}
	c := s.opts.Chain
	have, err := c.Funds.Balances(ctx, c.Actor.Account())
	if err != nil || have.Allowance.Cmp(bond.Amount) >= 0 {
		return nil, err
	}
	_, err = c.actor().Estimate(ctx, bond)
	switch {
	case err == nil: // allowed since the balances were read
		return nil, nil
	case !errors.Is(err, fault.AllowanceMissing):
		return nil, err
	}
	return protocol.Approve{Amount: bond.Amount}, c.checkBond(ctx, bond)
}

// checkBond refuses what a simulation without allowance cannot detect: an orchestrator's own
// stake cannot go to another one.
func (c *Chain) checkBond(ctx context.Context, bond protocol.Bond) error {
	account := c.Actor.Account()
	own, err := c.Stakes.Delegator(ctx, account)
	if err != nil || own.Delegate != account || own.Bonded.IsZero() || bond.To == account {
		return err
	}
	return fault.New(fault.CannotMoveOwnStake, bond.Verb(), "the account is a registered orchestrator: unbond first")
}

// estimateBoth returns the cost of the approval and of the bond after it. The bond's part is a
// typical value, because it can be simulated only afterwards.
func (s *Server) estimateBoth(ctx context.Context, first, a protocol.Action) (adminapi.Estimate, error) {
	e, err := s.opts.Chain.actor().Estimate(ctx, first)
	if err != nil {
		return adminapi.Estimate{}, err
	}
	e.Verb = a.Verb()
	if bond, ok := a.(protocol.Bond); ok {
		amount := bond.Amount.Tokens()
		e.About = fmt.Sprintf("let the bonding contract take %s LPT, then bond %s LPT to %s", amount, amount, bond.To)
	}
	more := protocol.Estimate{Gas: bondGas, Price: e.Price}
	fee := feeOf(more)
	e.Gas, e.Fee, e.Need = e.Gas+bondGas, e.Fee.Add(fee), e.Need.Add(fee)
	return estimateOf(e), nil
}

// namingApproval adds the approval's transaction to an error after it.
func namingApproval(err error, approval protocol.TxHash) error {
	if approval.IsZero() || errors.Is(err, fault.TransactionPending) {
		return err
	}
	_, text := fault.Public(err)
	return &fault.Fault{Code: fault.CodeOf(err), Op: "bond", Err: err,
		Detail: text + "; the approval before it was sent as " + approval.String()}
}
