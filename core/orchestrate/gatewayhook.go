package orchestrate

import (
	"context"

	"github.com/tuttinode/tutti/core"
)

// GatewayHook decides which gateways get offers; server/orchestrator implements it.
type GatewayHook interface {
	// Admit answers for a gateway at a network address. The account is zero off-chain, and for live work and its
	// tokens not proven. Errors are the faults GatewayDenied, GatewayHookFailed, GatewayHookBusy and Canceled.
	Admit(ctx context.Context, gateway core.Address, from string) error
}

// admitGateway asks the hook; without one every gateway is admitted.
func (o *Orchestrator) admitGateway(ctx context.Context, gateway core.Address, from string) error {
	if o.opt.GatewayHook == nil {
		return nil
	}
	return o.opt.GatewayHook.Admit(ctx, gateway, from)
}

// mayBeginLiveFor reports whether a gateway may begin live work now.
func (o *Orchestrator) mayBeginLiveFor(ctx context.Context, gateway core.Address, from string) error {
	if err := o.mayBeginLive(); err != nil {
		return err
	}
	return o.admitGateway(ctx, gateway, from)
}
