package admin

import (
	"context"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// wouldFail refuses an action that the contracts accept without effect: it would only cost gas,
// and is most likely a mistake.
func (c *Chain) wouldFail(ctx context.Context, a protocol.Action) error {
	switch a := a.(type) {
	case protocol.WithdrawFees:
		if a.Amount.IsZero() {
			return fault.New(fault.FeesMissing, a.Verb(), "there is nothing to withdraw")
		}
	case protocol.SetServiceURI:
		record, err := c.Stakes.Orchestrator(ctx, c.Actor.Account())
		if err != nil {
			return err
		}
		if record.ServiceURI == a.URI {
			return fault.New(fault.ActionInvalid, a.Verb(), a.URI+" is registered already")
		}
	}
	return nil
}
