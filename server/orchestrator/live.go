package orchestrator

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/server/admission"
	"github.com/tuttinode/tutti/server/liverunner"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/server/status"
)

// Paywall takes payment for live work by the protocol's headers and messages.
type Paywall struct {
	orch    *orchestrate.Orchestrator
	version string
	nodes   []string
}

var _ liverunner.Payments = (*Paywall)(nil)

// NewPaywall makes one whose offers name a version and the operator's other nodes.
func NewPaywall(orch *orchestrate.Orchestrator, version string, nodes []string) *Paywall {
	return &Paywall{orch, version, nodes}
}

// Challenge makes an offer for live work, encoded as clients get it.
func (p *Paywall) Challenge(ctx context.Context, req orchestrate.LiveOfferRequest) (string, core.ManifestID, error) {
	in, err := p.orch.LiveOffer(ctx, req)
	if err != nil {
		return "", "", err
	}
	params, err := p.encode(&in)
	return params, core.ManifestID(in.Token.Session), err
}

func (p *Paywall) encode(in *orchestrate.Info) (string, error) {
	data, err := proto.Marshal(infoMessage(in, p.version, p.nodes))
	if err != nil {
		return "", fault.Wrap(fault.Unexpected, "encode an offer", err)
	}
	return base64.StdEncoding.EncodeToString(data), nil
}

// Read reads a request's payment and checks its credentials.
func (p *Paywall) Read(r *http.Request) (*orchestrate.LivePayment, error) {
	req, err := readRequest(r.Header)
	switch {
	case err != nil:
		return nil, err
	case req.PaymentErr != nil:
		return nil, req.PaymentErr
	}
	req.From = r.RemoteAddr
	return p.orch.CheckLive(req)
}

// Begin takes a payment and begins to charge for live work.
func (p *Paywall) Begin(ctx context.Context, payment *orchestrate.LivePayment, work orchestrate.LiveWork,
	manifest core.ManifestID) (*orchestrate.LiveSession, error) {
	return p.orch.BeginLive(ctx, payment, work, manifest)
}

// Credit takes a further payment and returns the answer's body.
func (p *Paywall) Credit(ctx context.Context, payment *orchestrate.LivePayment) ([]byte, error) {
	in, err := p.orch.CreditLive(ctx, payment)
	if err != nil {
		return nil, err
	}
	data, err := proto.Marshal(&rpc.PaymentResult{Info: infoMessage(&in, p.version, p.nodes)})
	if err != nil {
		return nil, fault.Wrap(fault.Unexpected, "encode an answer to a payment", err)
	}
	return data, nil
}

// Interval is how often live work is charged.
func (p *Paywall) Interval() time.Duration { return p.orch.LiveInterval() }

// Routes adds the paths of payments that belong to no runner.
func (p *Paywall) Routes(mux *http.ServeMux) {
	mux.HandleFunc("POST /payment", p.payment)
	mux.HandleFunc("POST /refresh-payment", p.refresh)
}

// payment credits the session that the credentials name, whatever it is.
func (p *Paywall) payment(w http.ResponseWriter, r *http.Request) {
	payment, err := p.Read(r)
	var body []byte
	if err == nil {
		body, err = p.Credit(r.Context(), payment)
	}
	if err != nil {
		w.Header().Set(rpc.CodeHeader, string(fault.CodeOf(err)))
		http.Error(w, fault.Wire(err), status.Protocol(err))
		return
	}
	admission.Prove(r.Context())
	w.Header().Set("Content-Type", "application/octet-stream")
	_, _ = w.Write(body)
}

// maxRefresh bounds the JSON of a request for a new offer, in bytes.
const maxRefresh = 4 << 10

// refresh makes a new offer for a session in progress, at its price.
func (p *Paywall) refresh(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Sender   string          `json:"sender"`
		Manifest core.ManifestID `json:"manifest_id"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxRefresh)).Decode(&in); err != nil {
		liverunner.WriteError(w, http.StatusBadRequest, err.Error())
		return
	}
	sender, err := core.ParseAddress(in.Sender)
	if err != nil {
		liverunner.WriteError(w, http.StatusBadRequest, "invalid sender")
		return
	}
	info, found, err := p.orch.RefreshLive(r.Context(), sender, core.SessionID(in.Manifest), r.RemoteAddr)
	switch {
	case err != nil:
		w.Header().Set(rpc.CodeHeader, string(fault.CodeOf(err)))
		liverunner.WriteError(w, http.StatusInternalServerError, fault.Wire(err))
		return
	case !found:
		liverunner.WriteError(w, http.StatusConflict, "fixed price not found for session")
		return
	}
	params, err := p.encode(&info)
	if err != nil {
		liverunner.WriteError(w, http.StatusInternalServerError, fault.Wire(err))
		return
	}
	liverunner.WriteChallenge(w, http.StatusOK, &liverunner.Challenge{
		Params: params, Orchestrator: info.ServiceURI, Manifest: in.Manifest, PaymentURL: info.ServiceURI + "/payment",
	})
}
