package orchestrator

import (
	"context"
	"errors"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/server/access"
	"github.com/tuttinode/tutti/server/rpc"
)

// modelHeader is the trailer with the reason why a model of this node is not in its offer.
const modelHeader = "tutti-model-code"

// service is the gRPC side. Errors are plain: gateways expect the status Unknown with a text.
type service struct {
	rpc.UnimplementedOrchestratorServer
	s *Server
}

// GetOrchestrator makes an offer.
func (v *service) GetOrchestrator(ctx context.Context, req *rpc.OrchestratorRequest) (*rpc.OrchestratorInfo, error) {
	var wanted *capability.Capabilities
	if req.GetCapabilities() != nil {
		c := req.GetCapabilities().Capability()
		wanted = &c
	}
	in, err := v.s.orch.Offer(ctx, orchestrate.OfferRequest{
		Address: req.GetAddress(), Sig: req.GetSig(), Wanted: wanted, From: callerIP(ctx),
	})
	if err != nil {
		v.s.logRefusal(err)
		// For our own gateways; a failure has no remedy.
		_ = grpc.SetTrailer(ctx, metadata.Pairs(rpc.CodeHeader, string(fault.CodeOf(err))))
		return nil, errors.New("Invalid orchestrator request: " + fault.Wire(err))
	}
	if code := v.s.orch.Unavailable(wanted); code != "" {
		// For our own gateways, like the above; others do not read it.
		_ = grpc.SetTrailer(ctx, metadata.Pairs(modelHeader, string(code)))
	}
	return v.s.orchestratorInfo(&in), nil
}

// callerIP returns the address of a call's peer without its port.
func callerIP(ctx context.Context) string {
	p, ok := peer.FromContext(ctx)
	if !ok {
		return ""
	}
	return access.Host(p.Addr.String())
}

// EndTranscodingSession frees a session.
func (v *service) EndTranscodingSession(_ context.Context,
	req *rpc.EndTranscodingSessionRequest) (*rpc.EndTranscodingSessionResponse, error) {
	if err := v.s.orch.EndSession(fromAuthToken(req.GetAuthToken())); err != nil {
		return nil, errors.New(fault.Wire(err))
	}
	return &rpc.EndTranscodingSessionResponse{}, nil
}

// Ping signs the value, if it is not in the form of another signed message.
func (v *service) Ping(ctx context.Context, req *rpc.PingPong) (*rpc.PingPong, error) {
	sig, err := v.s.orch.Ping(req.GetValue())
	if err != nil {
		v.s.logRefusal(err)
		// The code is for tools; the text contains it too.
		_ = grpc.SetTrailer(ctx, metadata.Pairs(rpc.CodeHeader, string(fault.CodeOf(err))))
		return nil, errors.New(fault.Wire(err))
	}
	return &rpc.PingPong{Value: sig}, nil
}
