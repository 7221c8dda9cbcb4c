package orchestrate_test

import (
	"errors"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/pm"
)

// signatures refuses with the given errors.
type signatures struct{ request, segment, sign error }

func (signatures) Address() core.Address                            { return core.Address{19: 1} }
func (s signatures) CheckRequest(_, _ []byte) error                 { return s.request }
func (s signatures) CheckSegment(*orchestrate.SegmentRequest) error { return s.segment }
func (s signatures) CheckText(core.Address, []byte, []byte) error   { return s.segment }
func (s signatures) SignRenditions(signature.Algorithm, []core.Rendition) ([]byte, error) {
	return []byte("signed"), s.sign
}

func (signatures) SignPing(value []byte) ([]byte, error) {
	return append([]byte("signed "), value...), nil
}

type admitter struct {
	refuse error
	usage  orchestrate.Usage
}

func (a *admitter) Admit(core.SessionRequest) error { return a.refuse }
func (a *admitter) Usage() orchestrate.Usage        { return a.usage }
func (a *admitter) Capped() *fault.Fault {
	return fault.New(fault.OrchestratorCapped, "admit session", "")
}

// TestAdmitOrder has everything wrong at once and puts one thing right after
// another: each time the next complaint must come.
func TestAdmitOrder(t *testing.T) {
	t.Parallel()
	sig := &signatures{}
	pay := paying()
	n := newNode(t, func(o *orchestrate.Options) { o.Limit, o.Payments, o.Signatures = 1, pay, sig })
	other, tok := n.payerToken(), n.payerToken()
	n.sendPaid(other)

	var terms, refuse error = errors.New("the RPC endpoint is down"),
		fault.New(fault.PaymentRefused, "pay", "TicketParams expired")
	pay.OnTerms = func(*pm.Quote) error { return terms }
	pay.OnAdmit = func(*pm.Job) error { return refuse }
	sig.segment = errors.New("not the sender's")
	req := paidRequest(nil, 0)
	req.Capabilities = &capability.Capabilities{Bits: capability.Of(capability.HEVCEncode)}
	req.Sender = core.Address{19: 9}
	req.PaymentErr = fault.New(fault.PaymentMessage, "read", "no sender has 19 bytes")
	for _, step := range []struct {
		want  fault.Code
		text  string
		right func()
	}{
		{fault.ErrSegSig, "ErrSegSig", func() { sig.segment = nil }},
		{fault.IncompatibleCapabilities, "incompatible capabilities", func() { req.Capabilities = nil }},
		{fault.MissingAuthToken, "missing auth token",
			func() { req.Token = &orchestrate.Token{Session: tok.Session, Expires: tok.Expires} }},
		{fault.InvalidAuthToken, "invalid auth token", func() { req.Token = tok }},
		{fault.InvalidAuthToken, "invalid auth token", func() { req.Sender = payer }}, // another gateway's
		{fault.OrchestratorCapped, "OrchestratorCapped", func() {
			if err := n.EndSession(other); err != nil {
				t.Fatal(err)
			}
		}},
		{fault.ReplyTermsFailed, "Internal Server Error", func() { terms = nil }},
		{fault.PaymentMessage, "protobuf unmarshal error: no sender has 19 bytes",
			func() { req.PaymentErr, req.Payment = nil, payment(1) }},
		{fault.PaymentRefused, "TicketParams expired", func() { refuse, req.Payment = nil, payment(0) }},
		{fault.InsufficientBalance, "Insufficient balance", func() { req.Payment = payment(1) }},
	} {
		_, err := n.Admit(t.Context(), req)
		wantCode(t, err, step.want)
		if got := fault.Wire(err); got != step.text {
			t.Errorf("gateways get %q, want %q", got, step.text)
		}
		if pay.Open() != 0 {
			t.Fatalf("%s: money is put aside", step.want)
		}
		step.right()
	}
	seg, err := n.Admit(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	seg.Close()
}

func TestUnpaidSegmentHoldsNoSession(t *testing.T) {
	t.Parallel()
	n, pay := paidNode(t)
	for name, refuse := range map[string]func(*pm.Job) error{
		"refused": func(*pm.Job) error { return fault.New(fault.PaymentRefused, "pay", "TicketParams expired") },
		"panic":   func(*pm.Job) error { panic("in the books") },
	} {
		pay.OnAdmit = refuse
		tok := n.payerToken()
		func() {
			defer func() { _ = recover() }()
			if _, err := n.Admit(t.Context(), paidRequest(tok, 1)); err == nil {
				t.Errorf("%s: admitted", name)
			}
		}()
		n.wantSessions(0)
	}
}

func TestRequestSignature(t *testing.T) {
	t.Parallel()
	n := newNode(t, func(o *orchestrate.Options) { o.Signatures = signatures{request: errors.New("wrong")} })
	_, err := n.Offer(t.Context(), orchestrate.OfferRequest{})
	wantCode(t, err, fault.RequestSignature)
}

func TestPing(t *testing.T) {
	t.Parallel()
	for want, n := range map[string]*node{
		"":            newNode(t),
		"signed ping": newNode(t, func(o *orchestrate.Options) { o.Signatures = signatures{} }),
	} {
		got, err := n.Ping([]byte("ping"))
		if err != nil || string(got) != want {
			t.Errorf("%q, %v; want %q", got, err, want)
		}
	}
}

func TestHash(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	req := request(n.token())
	req.Hash = []byte("12345678901234567890123456789012")
	seg, err := n.Admit(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	defer seg.Close()
	wantCode(t, seg.CheckHash([]byte("another hash")), fault.SegmentHashMismatch)
	if err := seg.CheckHash(req.Hash); err != nil {
		t.Error(err)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*orchestrate.Options){
		"no URI":        func(o *orchestrate.Options) { o.ServiceURI = "" },
		"URI with path": func(o *orchestrate.Options) { o.ServiceURI = "https://node.example:8935/x" },
		"no scheme":     func(o *orchestrate.Options) { o.ServiceURI = "node.example:8935" },
		"no transcoder": func(o *orchestrate.Options) { o.Transcoder = nil },
		"no clock":      func(o *orchestrate.Options) { o.Now = nil },
		"no signatures": func(o *orchestrate.Options) { o.Payments = paying() },
	} {
		n := newNode(t)
		opt := orchestrate.Options{
			ServiceURI: serviceURI, Transcoder: n.fake, Capabilities: n.Capabilities,
			Now: n.clk.Now, Rand: failing{}, Log: discard,
		}
		change(&opt)
		if _, err := orchestrate.New(opt); err == nil || errors.Is(err, errNoRandom) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
