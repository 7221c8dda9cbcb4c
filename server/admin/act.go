package admin

import (
	"context"
	"fmt"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// send sends an action's transaction and waits until it is mined, or only until it is sent.
func (s *Server) send(ctx context.Context, a protocol.Action, async bool) (protocol.Transaction, error) {
	tx, err := s.opts.Chain.actor().Send(ctx, a, protocol.SendOptions{Async: async})
	changeOf(ctx).sent(tx)
	return tx, waitOver(ctx, tx, err)
}

// waitOver is the error of a wait that ended before its transaction was mined.
func waitOver(ctx context.Context, tx protocol.Transaction, err error) error {
	if err == nil || ctx.Err() == nil || tx.Hash.IsZero() || tx.State != protocol.TxSubmitted {
		return err
	}
	return &fault.Fault{
		Code: fault.TransactionPending, Op: tx.Verb, Err: err,
		Detail: "timed out waiting for transaction receipt txHash=" + tx.Hash.String(),
	}
}

// act executes an action, after the approval that it may need.
func (s *Server) act(ctx context.Context, a protocol.Action, async bool) (adminapi.ActionResult, error) {
	var out adminapi.ActionResult
	if err := s.opts.Chain.wouldFail(ctx, a); err != nil {
		return out, err
	}
	first, err := s.approval(ctx, a)
	if err != nil {
		return out, err
	}
	if first != nil {
		tx, err := s.send(ctx, first, false)
		if !tx.Hash.IsZero() {
			out.Before = append(out.Before, transactionOf(tx))
		}
		if err != nil {
			return out, namingApproval(fmt.Errorf("before %s: %w", a.Verb(), err), tx.Hash)
		}
	}
	tx, err := s.send(ctx, a, async)
	if !tx.Hash.IsZero() {
		answer := transactionOf(tx)
		out.Transaction = &answer
	}
	if err != nil && first != nil {
		err = namingApproval(err, out.Before[0].Hash)
	}
	return out, err
}

// estimate returns the cost of act.
func (s *Server) estimate(ctx context.Context, a protocol.Action) (adminapi.Estimate, error) {
	if err := s.opts.Chain.wouldFail(ctx, a); err != nil {
		return adminapi.Estimate{}, err
	}
	first, err := s.approval(ctx, a)
	if err != nil {
		return adminapi.Estimate{}, err
	}
	if first != nil {
		return s.estimateBoth(ctx, first, a)
	}
	e, err := s.opts.Chain.actor().Estimate(ctx, a)
	return estimateOf(e), err
}
