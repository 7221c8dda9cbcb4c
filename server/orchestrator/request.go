package orchestrator

import (
	"net/http"

	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/server/rpc"
)

// Headers of a segment.
const (
	paymentHeader = "Livepeer-Payment"
	segmentHeader = "Livepeer-Segment"
)

// readRequest reads what the headers say of a segment: the payment first, as the
// protocol has it. Errors are faults of server/rpc.
func readRequest(h http.Header) (orchestrate.SegmentRequest, error) {
	payment, err := rpc.DecodePayment(h.Get(paymentHeader))
	if err != nil {
		return orchestrate.SegmentRequest{}, err
	}
	paid, err := proto.Marshal(payment)
	if err != nil {
		return orchestrate.SegmentRequest{}, fault.Wrap(fault.PaymentMessage, "read payment", err)
	}
	data, err := rpc.DecodeSegData(h.Get(segmentHeader))
	if err != nil {
		return orchestrate.SegmentRequest{}, err
	}
	meta, err := rpc.FromSegData(data)
	if err != nil {
		return orchestrate.SegmentRequest{}, err
	}
	return orchestrate.SegmentRequest{
		Manifest: meta.Manifest, Number: meta.Number, Hash: meta.Hash[:],
		Duration: meta.Duration, Profiles: meta.Profiles,
		Clip: meta.Clip, Signature: meta.Signature, Reinit: meta.Reinit,
		Capabilities: &meta.Capabilities, Token: fromAuthToken(meta.Token),
		SegmentSig: meta.Sig, Sender: payment.GetSender(), Payment: paid,
	}, nil
}
