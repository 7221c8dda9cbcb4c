package orchestrate_test

import (
	"context"
	"errors"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/orchestrate"
)

// signatures refuses what it is told to refuse.
type signatures struct{ request, segment, sign error }

func (signatures) Address() [20]byte                                { return [20]byte{19: 1} }
func (s signatures) CheckRequest(_, _ []byte) error                 { return s.request }
func (s signatures) CheckSegment(*orchestrate.SegmentRequest) error { return s.segment }
func (s signatures) SignRenditions([]core.Rendition) ([]byte, error) {
	return []byte("signed"), s.sign
}

func (signatures) SignPing(value []byte) ([]byte, error) {
	return append([]byte("signed "), value...), nil
}

type payments struct {
	core.FreePayments
	refuse error
	booked core.Pixels
}

func (p *payments) Accept(context.Context, core.SessionID, []byte) error { return p.refuse }
func (p *payments) Debit(_ context.Context, _ core.SessionID, work core.Pixels) {
	p.booked += work
}

type admitter struct {
	refuse error
	usage  orchestrate.Usage
}

func (a *admitter) Admit(core.SessionID, []core.Profile) error { return a.refuse }
func (a *admitter) Usage() orchestrate.Usage                   { return a.usage }

// TestAdmitOrder has everything wrong at once and puts one thing right after
// another: each time the next complaint must come.
func TestAdmitOrder(t *testing.T) {
	t.Parallel()
	sig := &signatures{segment: errors.New("not the sender's")}
	pay := &payments{refuse: fault.New(fault.InsufficientBalance, "pay", "")}
	n := newNode(t, func(o *orchestrate.Options) {
		o.Limit, o.Payments = 1, pay
		o.Signatures = sig
	})
	other, tok := n.token(), n.token()
	pay.refuse = nil
	sig.segment = nil
	n.send(other)
	pay.refuse = fault.New(fault.InsufficientBalance, "pay", "")
	sig.segment = errors.New("not the sender's")

	req := request(nil)
	req.Capabilities = &capability.Capabilities{Bits: capability.Of(capability.HEVCEncode)}
	for _, step := range []struct {
		want  fault.Code
		text  string
		right func()
	}{
		{fault.ErrSegSig, "ErrSegSig", func() { sig.segment = nil }},
		{fault.IncompatibleCapabilities, "incompatible capabilities", func() { req.Capabilities = nil }},
		{fault.MissingAuthToken, "missing auth token", func() { req.Token = tok }},
		{fault.OrchestratorCapped, "OrchestratorCapped", func() {
			if err := n.EndSession(other); err != nil {
				t.Fatal(err)
			}
		}},
		{fault.InsufficientBalance, "Insufficient balance", func() { pay.refuse = nil }},
	} {
		_, err := n.Admit(t.Context(), req)
		wantCode(t, err, step.want)
		if got := fault.Wire(err); got != step.text {
			t.Errorf("gateways are told %q, want %q", got, step.text)
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
	pay := &payments{refuse: fault.New(fault.PaymentRefused, "pay", "TicketParams expired")}
	n := newNode(t, func(o *orchestrate.Options) { o.Payments = pay })
	_, err := n.Admit(t.Context(), request(n.token()))
	wantCode(t, err, fault.PaymentRefused)
	if got := fault.Wire(err); got != "TicketParams expired" {
		t.Errorf("gateways are told %q", got)
	}
	n.wantSessions(0)
}

func TestRequestSignature(t *testing.T) {
	t.Parallel()
	n := newNode(t, func(o *orchestrate.Options) { o.Signatures = signatures{request: errors.New("wrong")} })
	_, err := n.Offer(t.Context(), nil, nil, nil)
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
