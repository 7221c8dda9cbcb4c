package orchestrate_test

import (
	"errors"
	"io"
	"testing"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/core/pipeline"
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
		"13 blocks left": {func(r *orchestrate.JobRequest) {
			r.Credentials.Payment.Params.ExpirationBlock = now +
				13
		}, nil, false},
		"12 blocks left": {func(r *orchestrate.JobRequest) {
			r.Credentials.Payment.Params.ExpirationBlock = now +
				12
		}, nil, true},
		"none left": {func(r *orchestrate.JobRequest) { r.Credentials.Payment.Params.ExpirationBlock = 1 }, nil,
			true},
		"many tickets": {func(r *orchestrate.JobRequest) { r.Credentials.Payment.Tickets[0].Nonce = 1 << 16 }, nil,
			true},
		"one less": {func(r *orchestrate.JobRequest) { r.Credentials.Payment.Tickets[0].Nonce = 1<<16 - 1 },
			nil, false},
		"another's gateway": {func(r *orchestrate.JobRequest) {
			r.Own = false
			r.Credentials.Payment.Params.ExpirationBlock = now
		}, nil, false},
		"no terms to be had": {func(r *orchestrate.JobRequest) { r.Credentials.Payment.Params.ExpirationBlock = now },
			errors.New("down"), false},
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
			if ok && (in.Token.Session != tok.Session || in.Terms.Quote.Price != price || in.Terms.Params == nil ||
				in.ServiceURI != serviceURI) {
				t.Errorf("%+v", in)
			}
			if (asked > 0) != (tc.want || tc.terms != nil) {
				t.Errorf("terms were made %d times", asked)
			}
		})
	}
}

// TestJobIsBound: what may come is what is billed, also of a gateway that calls
// itself one of ours; off-chain no request is changed.
func TestJobIsBound(t *testing.T) {
	t.Parallel()
	const head = `{"model":"meta-llama/Meta-Llama-3.1-8B-Instruct","messages":[{"role":"user","content":"hi"}]`
	for name, tc := range map[string]struct {
		fields, runner string
		units          int64
	}{
		"said":     {`,"max_tokens":70}`, head + `,"max_tokens":70}`, 70},
		"not said": {`}`, `{"max_tokens":256,` + head[1:] + `}`, 256},
		"in other words": {`,"max_completion_tokens":7}`, `{"max_tokens":7,` + head[1:] +
			`,"max_completion_tokens":7}`, 7},
		"twice as many": {`,"n":2}`, `{"max_tokens":256,` + head[1:] + `,"n":2}`, 512},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pay := paying()
			paid, _ := aiNode(t, ready(1), func(o *orchestrate.Options) {
				o.Payments, o.Signatures = pay,
					signatures{}
			})
			free, _ := aiNode(t, ready(1))
			for _, n := range []*node{paid, free} {
				req := paidJob(t, nil, 1)
				req.Own, req.Body = true, []byte(head+tc.fields)
				var err error
				if req.Request, err = pipeline.Decode(capability.LLM, "", "application/json", req.Body); err != nil {
					t.Fatal(err)
				}
				want := tc.runner
				if req.Credentials.Token = n.jobToken(t); n == free {
					want = head + tc.fields
				}
				j, err := n.AdmitJob(t.Context(), req)
				if err != nil {
					t.Fatal(err)
				}
				reply, err := j.Run(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if got, _ := io.ReadAll(reply.Body); string(got) != want { // the fake answers with what it got
					t.Errorf("the runner gets %s, want %s", got, want)
				}
				reply.Body.Close()
				j.Close()
			}
			if got := pay.Work(); len(got) != 1 || got[0].Units != tc.units {
				t.Errorf("billed %+v", got)
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
	req.Credentials.PaymentErr = fault.New(fault.PaymentMessage, "read", "it is ignored off-chain")
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
