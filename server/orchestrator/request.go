package orchestrator

import (
	"net/http"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/server/rpc"
)

// readRequest parses the headers of a segment: the payment first, as in the protocol. Errors
// are faults of server/rpc.
func readRequest(h http.Header) (orchestrate.SegmentRequest, error) {
	payment, err := rpc.DecodePayment(h.Get(rpc.PaymentHeader))
	if err != nil {
		return orchestrate.SegmentRequest{}, err
	}
	req, err := readSegment(h.Get(rpc.SegmentHeader))
	if err == nil {
		addPayment(&req, payment)
	}
	return req, err
}

// readSegment reads everything but the payment.
func readSegment(header string) (orchestrate.SegmentRequest, error) {
	data, err := rpc.DecodeSegData(header)
	if err != nil {
		return orchestrate.SegmentRequest{}, err
	}
	meta, err := rpc.FromSegData(data)
	if err != nil {
		return orchestrate.SegmentRequest{}, err
	}
	hashed := signature.Keccak
	if meta.SHA256 {
		hashed = signature.SHA256
	}
	return orchestrate.SegmentRequest{
		Manifest: meta.Manifest, Number: meta.Number, Hash: meta.Hash[:], Hashed: hashed,
		Duration: meta.Duration, Profiles: meta.Profiles,
		Clip: meta.Clip, Signature: meta.Signature, Reinit: meta.Reinit, AcceptsSHA256: meta.AcceptsSHA256,
		Capabilities: &meta.Capabilities, Token: fromAuthToken(meta.Token),
		SegmentSig: meta.Sig,
	}, nil
}

// addPayment adds a payment to a request. Its errors are reported later: other checks come
// first, and off-chain it is not checked.
func addPayment(req *orchestrate.SegmentRequest, payment *rpc.Payment) {
	sender := payment.GetSender()
	if len(sender) == len(req.Sender) {
		req.Sender = core.Address(sender)
	}
	req.Payment, req.PaymentErr = rpc.FromPayment(payment)
}
