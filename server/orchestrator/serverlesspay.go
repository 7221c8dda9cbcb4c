package orchestrator

import (
	"net/http"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/server/admission"
	"github.com/tuttinode/tutti/server/liverunner"
	"github.com/tuttinode/tutti/server/livevideo"
	"github.com/tuttinode/tutti/server/rpc"
)

// ServerlessPayments take payment for sessions of a serverless runner, at its model's price.
type ServerlessPayments struct{ *Paywall }

var _ livevideo.ServerlessPayments = ServerlessPayments{}

// Asked reports that a request comes without payment.
func (p ServerlessPayments) Asked(r *http.Request) bool {
	return r.Header.Get(rpc.PaymentHeader) == "" && r.Header.Get(rpc.SegmentHeader) == ""
}

// Challenge answers a request without payment with what to pay.
func (p ServerlessPayments) Challenge(w http.ResponseWriter, r *http.Request, model inference.Model) {
	payer, ok := liverunner.Payer(w, r)
	if !ok {
		return
	}
	info, err := p.orch.LiveModelOffer(r.Context(), payer, model, r.RemoteAddr)
	var params string
	if err == nil {
		params, err = p.encode(&info)
	}
	if err != nil {
		w.Header().Set(rpc.CodeHeader, string(fault.CodeOf(err)))
		http.Error(w, fault.Wire(err), http.StatusInternalServerError)
		return
	}
	liverunner.WriteChallenge(w, http.StatusPaymentRequired, &liverunner.Challenge{
		Params: params, Orchestrator: info.ServiceURI, Manifest: core.ManifestID(info.Token.Session),
		PaymentURL: info.ServiceURI + "/payment",
	})
}

// Open takes a payment and charges from then on, pixels of 720p at 30 frames per second of elapsed time. What the
// credentials name as manifest does not matter.
func (p ServerlessPayments) Open(r *http.Request, fresh string, model inference.Model) (string, livevideo.Meter,
	error) {
	req, err := readRequest(r.Header)
	switch {
	case err != nil:
		return "", nil, err
	case req.PaymentErr != nil:
		return "", nil, req.PaymentErr
	}
	req.From = r.RemoteAddr
	payment, err := p.orch.CheckLiveModel(req, model)
	if err != nil {
		return "", nil, err
	}
	session := core.ManifestID(fresh)
	if own, ok := payment.OwnSession(); ok {
		session = own
	}
	work := orchestrate.LiveWork{Name: model.ID, Unit: orchestrate.LivePixels, App: model.String(), Model: &model}
	paid, err := p.Begin(r.Context(), payment, work, session)
	if err != nil {
		return "", nil, err
	}
	admission.Prove(r.Context())
	return string(session), orchestrate.NewLiveMeter(paid), nil
}
