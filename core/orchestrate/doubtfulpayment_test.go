package orchestrate_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/pm"
)

// TestUnpaidJobTakesNoSlot: an unpaid job waits for no slot and has no model
// loaded, whatever its session, and gets the same answers as before.
func TestUnpaidJobTakesNoSlot(t *testing.T) {
	t.Parallel()
	in := func(s inference.State) inference.ModelState {
		m := ready(1)
		m.State, m.Warm, m.Code = s, false, fault.ContainerOOM
		return m
	}
	const capacity, balance = "insufficient capacity", "Insufficient balance"
	for name, tc := range map[string]struct {
		state inference.ModelState
		want  fault.Code
		text  string
	}{
		"a slot is free":   {ready(1), fault.InsufficientBalance, balance},
		"none is free":     {ready(0), fault.ModelWaitOver, capacity},
		"not loaded":       {in(inference.Absent), fault.InsufficientBalance, balance},
		"gave room":        {in(inference.Evicted), fault.InsufficientBalance, balance},
		"being loaded":     {in(inference.Loading), fault.InsufficientBalance, balance},
		"cannot be loaded": {in(inference.Failed), fault.ModelNotReady, capacity},
		"going away":       {in(inference.Draining), fault.ModelNotReady, capacity},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				pay := paying()
				n, w := aiNode(t, ready(1), func(o *orchestrate.Options) {
					o.Now, o.Payments, o.Signatures = time.Now, pay, signatures{}
				})
				req := paidJob(t, n.jobToken(t), 0)
				req.Own = true
				w.Set(llama, func(s *inference.ModelState) { *s = tc.state })
				start := time.Now()
				_, err := n.AdmitJob(t.Context(), req)
				wantCode(t, err, tc.want)
				if got := fault.Wire(err); got != tc.text {
					t.Errorf("gateways get %q, want %q", got, tc.text)
				}
				if took, party := time.Since(start), w.Parties(); took != 0 || len(party) != 0 {
					t.Errorf("it took %s, and a slot was asked for %q", took, party)
				}
			})
		})
	}
}

// TestUnpaidJobWhileDraining: an unpaid job is refused for the drain first, as any other job.
func TestUnpaidJobWhileDraining(t *testing.T) {
	t.Parallel()
	n, _ := aiNode(t, ready(1), func(o *orchestrate.Options) { o.Payments, o.Signatures = paying(), signatures{} })
	req := paidJob(t, n.jobToken(t), 0)
	n.Cut()
	_, err := n.AdmitJob(t.Context(), req)
	wantCode(t, err, fault.JobsDraining)
}

// TestParties: sessions are to be had for nothing, so on the chain it is the gateway that
// waits for a slot, and elsewhere the peer that it comes from.
func TestParties(t *testing.T) {
	t.Parallel()
	paid, line := aiNode(t, ready(1), func(o *orchestrate.Options) {
		o.Payments, o.Signatures = paying(),
			signatures{}
	})
	free, freeLine := aiNode(t, ready(1))
	for i := range 3 {
		for _, n := range []*node{paid, free} {
			tok := n.token()
			if n == paid {
				tok = n.jobToken(t)
			}
			req := paidJob(t, tok, 1000)
			req.Credentials.From = fmt.Sprintf("2001:db8:%d::%d", i/2, i)
			j, err := n.AdmitJob(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			j.Close()
		}
	}
	party := payer.String()
	if got := line.Parties(); !slices.Equal(got, []string{party, party, party}) {
		t.Errorf("on the chain: %q", got)
	}
	if got := freeLine.Parties(); !slices.Equal(got, []string{"2001:db8::/64", "2001:db8::/64", "2001:db8:1::/64"}) {
		t.Errorf("off the chain: %q", got)
	}
}

// asked counts the sessions that devices are asked for.
type asked struct{ sessions int }

func (a *asked) Admit(core.SessionRequest) error { a.sessions++; return nil }
func (a *asked) Usage() orchestrate.Usage        { return orchestrate.Usage{} }
func (a *asked) Capped() *fault.Fault            { return nil }

// TestUnpaidSegmentTakesNoCapacity: no session is made for an unpaid segment, and none
// is kept alive.
func TestUnpaidSegmentTakesNoCapacity(t *testing.T) {
	t.Parallel()
	var a asked
	n, pay := paidNode(t, func(o *orchestrate.Options) { o.Limit, o.Admitter = 1, &a })
	n.wantRefused(n.payerToken(), fault.InsufficientBalance)
	if a.sessions != 0 {
		t.Errorf("%d sessions were asked for", a.sessions)
	}
	pay.OnTerms = func(*pm.Quote) error { n.wantSessions(0); return nil }
	n.wantRefused(n.payerToken(), fault.InsufficientBalance)
	pay.OnTerms = nil

	tok, other := n.payerToken(), n.payerToken()
	n.sendPaid(tok)
	n.clk.Forward(core.SessionIdle - time.Second)
	n.wantRefused(tok, fault.InsufficientBalance)
	n.wantRefused(other, fault.OrchestratorCapped) // as before: the session comes first
	n.clk.Forward(time.Second)
	n.Sweep(n.clk.Now())
	n.wantSessions(0)
}

func (n *node) wantRefused(tok *orchestrate.Token, want fault.Code) {
	n.t.Helper()
	_, err := n.Admit(n.t.Context(), paidRequest(tok, 0))
	wantCode(n.t, err, want)
}

// TestDoubtfulTicketsAreLookedAt: only Admit's word counts, and tickets may win.
func TestTicketsOfDoubtfulPaymentsAreChecked(t *testing.T) {
	t.Parallel()
	pay := paying()
	payErr := fault.New(fault.TicketParamsStale, "ask", "")
	pay.OnMayPay = func(*pm.Job) error { return payErr }
	n, w := aiNode(t, ready(1), func(o *orchestrate.Options) { o.Payments, o.Signatures = pay, signatures{} })

	seg := n.admitPaid(n.payerToken(), 1)
	if _, err := seg.Transcode(t.Context(), nil); err != nil {
		t.Error(err)
	}
	seg.Close()
	j, err := n.AdmitJob(t.Context(), paidJob(t, n.jobToken(t), 1))
	if err != nil {
		t.Fatal(err)
	}
	j.Close()
	// No slot is there for a moment: the money goes back.
	w.Set(llama, func(s *inference.ModelState) { s.State = inference.Loading })
	pay.OnAdmit = func(*pm.Job) error {
		w.Set(llama, func(s *inference.ModelState) { s.State, s.Code = inference.Failed, fault.ContainerOOM })
		return nil
	}
	_, err = n.AdmitJob(t.Context(), paidJob(t, n.jobToken(t), 1))
	wantCode(t, err, fault.ModelNotReady)
	// And without tickets there is nothing to look at.
	w.Set(llama, func(s *inference.ModelState) { s.State = inference.Ready })
	pay.OnAdmit = func(*pm.Job) error { return errors.New("asked") }
	_, err = n.AdmitJob(t.Context(), paidJob(t, n.jobToken(t), 0))
	wantCode(t, err, fault.TicketParamsStale)
	n.wantRefused(n.payerToken(), fault.TicketParamsStale)
	if len(pay.Violations()) != 0 || pay.Open() != 0 {
		t.Errorf("%v, %d holds", pay.Violations(), pay.Open())
	}
}
