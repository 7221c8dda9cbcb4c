package upstream

import (
	"context"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/rpc"
)

// Survey asks an orchestrator for its terms without a job: its base price, all prices and its extra
// nodes. Errors are those of Ask.
func (c *Client) Survey(ctx context.Context, uri string) (Info, error) {
	const op = "survey orchestrator"
	client, done, err := c.conns.client(uri)
	if err != nil {
		return nil, fault.Wrap(fault.OrchestratorUnreachable, op, err)
	}
	defer done()
	address, sig, err := c.payments.Identity(ctx)
	if err != nil {
		return nil, fault.Wrap(fault.Unexpected, "identify to orchestrator", err)
	}
	info, err := client.GetOrchestrator(ctx, &rpc.OrchestratorRequest{Address: address, Sig: sig})
	if err != nil {
		return nil, callFault(ctx, op, err)
	}
	return info, nil
}
