package remotesigner

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/pm/remotesigner"
	"github.com/tuttinode/tutti/pm/sender"
	"github.com/tuttinode/tutti/server/admission"
	"github.com/tuttinode/tutti/server/rpc"
)

// authHeader names a caller where the webhook does not.
const authHeader = "Signer-Auth-Id"

// signOrchestratorInfo signs what a gateway asks orchestrators with: its address.
func (s *Server) signOrchestratorInfo(w http.ResponseWriter, r *http.Request) {
	account := common.Address(s.opt.Signer.Account())
	sig, err := s.opt.Sign(signature.RequestMessage(account))
	if err != nil {
		s.refuse(w, r, fault.Wrap(fault.PaymentUnsigned, "sign a request", err), "")
		return
	}
	writeJSON(w, http.StatusOK, map[string]string{"address": account.Hex(), "signature": "0x" + hex.EncodeToString(sig)})
}

// signedState is a state in JSON: both fields in base64.
type signedState struct {
	State []byte `json:"State"`
	Sig   []byte `json:"Sig"`
}

// paymentRequest is the body of a request for a payment.
type paymentRequest struct {
	State        *signedState           `json:"state"`
	Orchestrator []byte                 `json:"orchestrator"`
	ManifestID   string                 `json:"ManifestID"`
	App          string                 `json:"app"`
	InPixels     int64                  `json:"inPixels"`
	Type         string                 `json:"type"`
	MaxPrice     *remotesigner.MaxPrice `json:"maxPrice"`
	Capabilities []byte                 `json:"capabilities"`
}

type paymentAnswer struct {
	Payment  []byte      `json:"payment"`
	SegCreds []byte      `json:"segCreds"`
	State    signedState `json:"state"`
}

// Limits of the names that callers choose, in bytes.
const (
	maxManifest = 128
	maxApp      = 256
)

// generateLivePayment makes a payment, and the credentials that go with it.
func (s *Server) generateLivePayment(w http.ResponseWriter, r *http.Request) {
	var req paymentRequest
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil && !errors.Is(err, io.EOF) {
		writeError(w, http.StatusBadRequest, err.Error())
		return
	}
	ask, info, err := s.read(&req, r)
	if err != nil {
		s.refuse(w, r, err, "")
		return
	}
	answer, err := s.opt.Signer.Pay(r.Context(), ask)
	if err != nil {
		s.refuse(w, r, err, info.GetTranscoder())
		return
	}
	admission.Prove(r.Context())
	payment, err := proto.Marshal(rpc.ToPayment(answer.Payment))
	if err == nil {
		var credentials []byte
		if credentials, err = s.credentials(answer.Manifest, info.GetAuthToken()); err == nil {
			writeJSON(w, http.StatusOK, paymentAnswer{payment, credentials,
				signedState{answer.State.State, answer.State.Sig}})
			return
		}
	}
	s.refuse(w, r, err, "")
}

// credentials describe an empty segment of a session, which proves the payer.
func (s *Server) credentials(manifest core.ManifestID, token *rpc.AuthToken) ([]byte, error) {
	meta := rpc.SegmentMeta{Manifest: manifest, Hash: signature.Keccak256(), Token: token}
	account := common.Address(s.opt.Signer.Account())
	message, err := signature.SegmentMessage(account, signature.Segment(manifest, 0, meta.Hash, nil))
	if err != nil {
		return nil, bad("the manifest id is refused: " + err.Error())
	}
	if meta.Sig, err = s.opt.Sign(message); err != nil {
		return nil, fault.Wrap(fault.PaymentUnsigned, "sign credentials", err)
	}
	m := rpc.ToSegData(&meta)
	m.Capabilities = nil // it is no work
	return proto.Marshal(m)
}

func bad(text string) error { return &remotesigner.Refusal{Status: http.StatusBadRequest, Text: text} }

// read checks a request, in the network's order. Errors are refusals.
func (s *Server) read(req *paymentRequest, r *http.Request) (*remotesigner.Ask, *rpc.OrchestratorInfo, error) {
	if len(req.Orchestrator) == 0 {
		return nil, nil, bad("missing orchestrator")
	}
	info := new(rpc.OrchestratorInfo)
	if err := rpc.Unmarshal(req.Orchestrator, info); err != nil {
		return nil, nil, bad(err.Error())
	}
	terms, err := readTerms(info)
	if err != nil {
		return nil, nil, err
	}
	ask := &remotesigner.Ask{
		Terms: terms, Manifest: core.ManifestID(req.ManifestID), App: req.App, Type: remotesigner.Type(req.Type),
		Units: req.InPixels, MaxPrice: req.MaxPrice, Header: r.Header, AuthID: r.Header.Get(authHeader),
	}
	if expires := info.GetAuthToken().GetExpiration(); expires > 0 {
		ask.TokenExpires = time.Unix(expires, 0)
	}
	if req.State != nil {
		ask.State = &remotesigner.SignedState{State: req.State.State, Sig: req.State.Sig}
	}
	if len(req.ManifestID) > maxManifest || len(req.App) > maxApp {
		return nil, nil, bad(fmt.Sprintf("ManifestID has at most %d bytes, app %d", maxManifest, maxApp))
	}
	ask.OwnMaxPrice, err = s.ownMaxPrice(req.Capabilities)
	return ask, info, err
}

// readTerms reads an orchestrator's terms of payment. Errors are refusals.
func readTerms(info *rpc.OrchestratorInfo) (*sender.Terms, error) {
	price, ok := rpc.FromPriceInfo(info.GetPriceInfo())
	if !ok || price.Free() {
		return nil, bad("missing or zero priceInfo")
	}
	if info.GetTicketParams() == nil {
		return nil, bad("missing ticketParams in OrchestratorInfo")
	}
	params, err := rpc.FromTicketParams(info.GetTicketParams())
	if err != nil {
		return nil, bad("unusable ticketParams in OrchestratorInfo")
	}
	t := sender.Terms{
		Peer: info.GetTranscoder(), Session: core.SessionID(info.GetAuthToken().GetSessionId()), Price: price,
		Params: &params, Pipeline: "live", Nonces: sender.NetworkNonces,
	}
	if a := info.GetAddress(); len(a) == len(t.Address) {
		t.Address = core.Address(a)
	}
	return sender.NewTerms(t), nil
}

// ownMaxPrice returns the operator's highest price: the least of those for the models that the caller names, else the
// general one. Where neither is set it is the highest of those for other models: leaving out the model, or naming one
// without a limit, raises no price above what the operator pays for any. The error is a refusal.
func (s *Server) ownMaxPrice(capabilities []byte) (*big.Rat, error) {
	most, err := s.maxOfNamed(capabilities)
	return orHighest(most, s.opt.Caps), err
}

// orHighest is a highest price, where it is not set the highest of all.
func orHighest(most *big.Rat, caps Caps) *big.Rat {
	if most == nil {
		return caps.Highest()
	}
	return most
}

// maxOfNamed returns the least of the general limit and those for the models that a caller names, nil for none.
func (s *Server) maxOfNamed(capabilities []byte) (*big.Rat, error) {
	most := s.opt.Caps.MaxTranscoding()
	if len(capabilities) == 0 {
		return most, nil
	}
	m := new(rpc.Capabilities)
	if err := rpc.Unmarshal(capabilities, m); err != nil {
		return nil, bad("capabilities: " + err.Error())
	}
	for id, models := range m.Capability().Constraints.PerCapability {
		for name := range models {
			own := s.opt.Caps.MaxModel(inference.Model{Capability: id, ID: name})
			if own != nil && (most == nil || own.Cmp(most) < 0) {
				most = own
			}
		}
	}
	return most, nil
}
