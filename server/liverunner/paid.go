package liverunner

import (
	"context"
	"encoding/hex"
	"net/http"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/liverunner"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/server/admission"
	"github.com/tuttinode/tutti/server/rpc"
)

// Payments takes payment for sessions; server/orchestrator implements it. Errors are faults with the
// protocol's texts.
type Payments interface {
	// Challenge makes an offer for work, encoded for the client, and the id of a session to come.
	Challenge(ctx context.Context, req orchestrate.LiveOfferRequest) (params string, manifest core.ManifestID, err error)
	// Read reads a request's payment and checks its credentials.
	Read(r *http.Request) (*orchestrate.LivePayment, error)
	// Begin takes the payment and begins to charge.
	Begin(ctx context.Context, p *orchestrate.LivePayment, work orchestrate.LiveWork, manifest core.ManifestID) (
		*orchestrate.LiveSession, error)
	// Credit takes a further payment and returns the body of the answer.
	Credit(ctx context.Context, p *orchestrate.LivePayment) ([]byte, error)
	// Interval is how often sessions are charged.
	Interval() time.Duration
}

// payerHeader names the account that will pay.
const payerHeader = "Livepeer-Payer-Address"

// Challenge asks a client to pay.
type Challenge struct {
	Params       string          `json:"payment_params"`
	Orchestrator string          `json:"orchestrator"`
	Manifest     core.ManifestID `json:"manifest_id"`
	PaymentURL   string          `json:"payment_url"`
}

// WriteChallenge answers with a challenge.
func WriteChallenge(w http.ResponseWriter, code int, c *Challenge) { writeStatus(w, code, c) }

func (s *Server) payment() liverunner.Payment { return liverunner.Payment(s.o.Payments != nil) }

// begin reserves a slot for a client's request and takes its payment, or answers why not.
func (s *Server) begin(w http.ResponseWriter, r *http.Request, route, mode string) (*liverunner.Session,
	liverunner.Spec, bool) {
	if s.o.Payments == nil {
		session, spec, err := s.take(route, mode, "")
		if err != nil {
			refuse(w, err)
		}
		return session, spec, err == nil
	}
	runner, err := s.registry.Offered(route, mode)
	if err != nil {
		refuse(w, err)
		return nil, liverunner.Spec{}, false
	}
	if r.Header.Get(rpc.PaymentHeader) == "" && r.Header.Get(rpc.SegmentHeader) == "" {
		s.challenge(w, r, &runner)
		return nil, liverunner.Spec{}, false
	}
	session, spec, err := s.beginPaid(r, &runner, mode)
	if err != nil {
		refuse(w, err)
	}
	return session, spec, err == nil
}

// challenge answers a request without a payment with what to pay.
func (s *Server) challenge(w http.ResponseWriter, r *http.Request, runner *liverunner.Runner) {
	price, err := runner.Spec.Price.Wei(s.o.Rate)
	if err != nil {
		refuse(w, unpriced(err))
		return
	}
	payer, ok := Payer(w, r)
	if !ok {
		return
	}
	params, manifest, err := s.o.Payments.Challenge(r.Context(), orchestrate.LiveOfferRequest{
		Sender: payer, Work: runner.Work(), Price: price, From: r.RemoteAddr,
	})
	if err != nil {
		w.Header().Set(rpc.CodeHeader, string(fault.CodeOf(err)))
		http.Error(w, fault.Wire(err), http.StatusInternalServerError)
		return
	}
	WriteChallenge(w, http.StatusPaymentRequired, &Challenge{
		Params: params, Orchestrator: s.o.ServiceURI, Manifest: manifest,
		PaymentURL: s.appURL(runner.Route) + "/session/" + string(manifest) + "/payment",
	})
}

func unpriced(why error) error {
	return &fault.Fault{Code: fault.LiveRunnerPriceUnavailable, Op: "price live work", Detail: why.Error(), Err: why}
}

// Payer is the account that a request without a payment says will pay, or it answers that it names none.
func Payer(w http.ResponseWriter, r *http.Request) (core.Address, bool) {
	payer, ok := payerOf(r.Header.Get(payerHeader))
	if !ok {
		WriteError(w, http.StatusPaymentRequired, "invalid live runner payment signer address")
	}
	return payer, ok
}

// payerOf reads the address of an account, with or without 0x.
func payerOf(text string) (a core.Address, ok bool) {
	raw, err := hex.DecodeString(strings.TrimPrefix(strings.TrimPrefix(text, "0x"), "0X"))
	if err != nil || len(raw) != len(a) {
		return a, false
	}
	copy(a[:], raw)
	return a, !a.IsZero()
}

// beginPaid checks a payment's credentials, takes a slot, and then takes the payment. A slot whose
// payment is refused is given back.
func (s *Server) beginPaid(r *http.Request, runner *liverunner.Runner, mode string) (*liverunner.Session,
	liverunner.Spec, error) {
	none := liverunner.Spec{}
	p, err := s.o.Payments.Read(r)
	if err != nil {
		return nil, none, err
	}
	if p.Manifest() != core.ManifestID(p.Session()) {
		return nil, none, errOtherToken
	}
	work := runner.Work()
	if err := s.checkPrice(p, runner, &work); err != nil {
		return nil, none, err
	}
	session, spec, err := s.take(runner.Route, mode, string(p.Manifest()))
	if err != nil {
		return nil, none, err
	}
	paid, err := s.o.Payments.Begin(r.Context(), p, work, p.Manifest())
	if err != nil {
		s.registry.End(session)
		return nil, none, err
	}
	admission.Prove(r.Context())
	if err := s.setPaid(session, paid); err != nil {
		s.registry.End(session)
		return nil, none, err
	}
	return session, spec, nil
}

// checkPrice compares the price of a payment with that of the runner. Time is charged at the price
// that was quoted; a fixed price must be the present one.
func (s *Server) checkPrice(p *orchestrate.LivePayment, runner *liverunner.Runner, work *orchestrate.LiveWork) error {
	quoted, ok := p.Quoted(work)
	if !ok {
		return errOtherPrice
	}
	if work.Unit != orchestrate.LiveFixed {
		return nil
	}
	now, err := runner.Spec.Price.Wei(s.o.Rate)
	switch {
	case err != nil:
		return unpriced(err)
	case !quoted.Equal(now) || !p.Expects(now):
		return errOtherPrice
	}
	return nil
}

// errHandedOver: what is charged by time ends with a handover, after which this process charges for nothing.
var errHandedOver = &liverunner.Refusal{
	Reason: liverunner.Drains,
	Text:   "Draining: another process has taken over, repeat the request",
}

// setPaid notes what charges for a session, or ends it: the runner may have gone while the payment was taken, or
// another process have taken over.
func (s *Server) setPaid(session *liverunner.Session, paid *orchestrate.LiveSession) error {
	s.mu.Lock()
	o := s.sessions[session]
	over := s.upgrading.charged && !paid.Fixed()
	if o != nil && !over {
		o.paid = paid
	}
	s.mu.Unlock()
	switch {
	case o == nil:
		paid.End()
		return errSessionGone
	case over:
		paid.Drop()
		return errHandedOver
	}
	return nil
}

// topUp takes a further payment for a session.
func (s *Server) topUp(w http.ResponseWriter, r *http.Request) {
	session, err := s.registry.Session(r.PathValue("route"), r.PathValue("sid"))
	if err != nil {
		refuse(w, err)
		return
	}
	s.mu.Lock()
	var paid *orchestrate.LiveSession
	if o := s.sessions[session]; o != nil {
		paid = o.paid
	}
	s.mu.Unlock()
	switch {
	case paid == nil:
		refuse(w, errSessionGone)
		return
	case paid.Fixed():
		refuse(w, errFixed)
		return
	}
	p, err := s.o.Payments.Read(r)
	if err == nil && (string(p.Manifest()) != session.ID || p.Sender() != paid.Payer()) {
		err = errOtherSession
	}
	var body []byte
	if err == nil {
		body, err = s.o.Payments.Credit(r.Context(), p)
	}
	if err != nil {
		refuse(w, err)
		return
	}
	admission.Prove(r.Context())
	w.Header().Set("Content-Type", "application/octet-stream")
	_, _ = w.Write(body)
}

// lookInterval is how often sessions are looked at: an interval of the network ends within a fraction of
// it.
func (s *Server) lookInterval() time.Duration {
	return min(max(s.o.Payments.Interval()/20, time.Millisecond), time.Second/4)
}

// Charge charges the sessions whose interval is over, and ends those that are not paid for.
func (s *Server) Charge() {
	type due struct {
		session *liverunner.Session
		paid    *orchestrate.LiveSession
	}
	var all []due
	s.mu.Lock()
	for _, o := range s.sessions {
		if o.paid != nil && o.paid.Due() {
			all = append(all, due{o.session, o.paid})
		}
	}
	s.mu.Unlock()
	for _, d := range all {
		if err := d.paid.Charge(); err != nil {
			s.o.Log.Debug("a live session is paid for no more", "runner", d.session.RunnerID, fault.Attr(err))
			s.registry.End(d.session)
		}
	}
}

// checkPrices reports the runners that begin or cease to have a price.
func (s *Server) checkPrices() {
	runners := s.registry.Runners()
	without := make(map[string]error)
	s.mu.Lock()
	was := s.health.unpriced
	s.health.unpriced = make(map[string]liverunner.Runner)
	for _, r := range runners {
		if _, err := r.Spec.Price.Wei(s.o.Rate); err != nil {
			s.health.unpriced[r.ID], without[r.ID] = r, err
		}
	}
	now := s.health.unpriced
	s.mu.Unlock()
	for id, r := range now {
		if _, known := was[id]; !known {
			s.o.Priced(r, unpriced(without[id]))
		}
	}
	for id, r := range was {
		if _, still := now[id]; !still {
			s.o.Priced(r, nil)
		}
	}
}
