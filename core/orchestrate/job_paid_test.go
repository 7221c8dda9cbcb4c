package orchestrate_test

import (
	"errors"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// TestJobOffer: our own gateways get new terms when theirs come to their end.
func TestJobOffer(t *testing.T) {
	t.Parallel()
	const now = protocol.L1Block(100)
	for name, tc := range map[string]struct {
		change func(*orchestrate.JobRequest)
		terms  error
		want   bool
	}{
		"13 blocks left": {func(r *orchestrate.JobRequest) { r.Credentials.Payment.Params.ExpirationBlock = now + 13 }, nil, false},
		"12 blocks left": {func(r *orchestrate.JobRequest) { r.Credentials.Payment.Params.ExpirationBlock = now + 12 }, nil, true},
		"none left":      {func(r *orchestrate.JobRequest) { r.Credentials.Payment.Params.ExpirationBlock = 1 }, nil, true},
		"many tickets":   {func(r *orchestrate.JobRequest) { r.Credentials.Payment.Tickets[0].Nonce = 1 << 16 }, nil, true},
		"one less":       {func(r *orchestrate.JobRequest) { r.Credentials.Payment.Tickets[0].Nonce = 1<<16 - 1 }, nil, false},
		"another's gateway": {func(r *orchestrate.JobRequest) {
			r.Own = false
			r.Credentials.Payment.Params.ExpirationBlock = now
		}, nil, false},
		"no terms to be had": {func(r *orchestrate.JobRequest) { r.Credentials.Payment.Params.ExpirationBlock = now }, errors.New("down"), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pay := paying()
			asked := 0
			n, _ := aiNode(t, ready(1), func(o *orchestrate.Options) {
				o.Payments, o.Signatures = pay, signatures{}
				o.L1Block = func() protocol.L1Block { return now }
			})
			tok := n.jobToken(t)
			pay.OnTerms = func(*pm.Quote) error { asked++; return tc.terms }
			req := paidJob(t, tok, 1)
			req.Own = true
			tc.change(&req)
			j, err := n.AdmitJob(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			defer j.Close()
			in, ok := j.Offer(t.Context())
			if ok != tc.want {
				t.Errorf("an offer: %v", ok)
			}
			if ok && (in.Token.Session != tok.Session || in.Terms.Quote.Price != price || in.Terms.Params == nil || in.ServiceURI != serviceURI) {
				t.Errorf("%+v", in)
			}
			if (asked > 0) != (tc.want || tc.terms != nil) {
				t.Errorf("terms were made %d times", asked)
			}
		})
	}
}

// TestJobsWithoutTicketsOrChain need no new terms.
func TestJobsWithoutTicketsOrChain(t *testing.T) {
	t.Parallel()
	n, _ := aiNode(t, ready(2))
	req := paidJob(t, n.token(), 1)
	req.Own = true
	req.Credentials.PaymentErr = fault.New(fault.PaymentMessage, "read", "nobody looks at it off-chain")
	j, err := n.AdmitJob(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if _, ok := j.Offer(t.Context()); ok {
		t.Error("an offer off-chain")
	}
	paid, _ := aiNode(t, ready(1), func(o *orchestrate.Options) { o.Payments, o.Signatures = paying(), signatures{} })
	first := paidJob(t, paid.jobToken(t), 1)
	first.Own = true
	j, err = paid.AdmitJob(t.Context(), first)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := j.Offer(t.Context()); ok {
		t.Error("an offer without a block to compare with")
	}
	j.Close()
	first.Credentials.Payment = payment(0)
	if j, err = paid.AdmitJob(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if _, ok := j.Offer(t.Context()); ok {
		t.Error("an offer for no tickets")
	}
}
