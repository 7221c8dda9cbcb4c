package router

import (
	"context"
	"errors"

	"github.com/ethereum/go-ethereum/common"
	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/server/admission"
	"github.com/tuttinode/tutti/server/rpc"
)

const (
	opCheck = "check request"
	// callCost is the cost of a call besides its message: frames and headers.
	callCost = 128
	// signatureSize is the length of a signature, in bytes.
	signatureSize = 65
)

// check refuses malformed requests, and too many from one address: each is forwarded to
// every orchestrator. Errors are faults RequestSignature and AddressBusy.
func (r *Router) check(ctx context.Context, req *rpc.OrchestratorRequest) error {
	address, sig := req.GetAddress(), req.GetSig()
	switch {
	case len(address) != 0 && len(address) != common.AddressLength:
		return fault.New(fault.RequestSignature, opCheck, "the address is not 20 bytes long")
	case len(sig) != 0 && (len(sig) != signatureSize || len(address) == 0):
		return fault.New(fault.RequestSignature, opCheck, "the signature is not 65 bytes long, or its address is missing")
	case !admission.Cause(ctx, proto.Size(req)+callCost):
		return fault.New(fault.AddressBusy, opCheck, "too many requests from this address")
	case len(sig) == 0:
		return nil // off-chain requests have no signature
	}
	sender := common.Address(address)
	if err := signature.NodeVerify(sender, signature.Request(sender), sig); err != nil {
		return fault.Wrap(fault.RequestSignature, opCheck, err)
	}
	return nil
}

// refused is an error in the orchestrators' form: a text without a status.
func refused(err error) error { return errors.New("Invalid orchestrator request: " + fault.Wire(err)) }
