package upstream_test

import (
	"context"
	"net/http"
	"sync"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/sender"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// paymentTerms pays with a fixed header and remembers how it was settled.
type paymentTerms struct {
	header string
	err    error

	mu      sync.Mutex
	paid    []int64
	settled []settled
	// received are the reported units; negative for clients that left.
	received []int64
	// came are the units that came before a client left.
	came []int64
	// credited is how often the tickets were said to be credited.
	credited int
	// forgone is how many failed for what their requests may be the reason of.
	forgone int
}

type settled struct {
	how   sender.Outcome
	units int64
}

func (d *paymentTerms) Wear() sender.Wear { return sender.Fresh }

func (d *paymentTerms) Pay(_ context.Context, _ string, units int64) (upstream.Payment, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err != nil {
		return nil, d.err
	}
	d.paid = append(d.paid, units)
	return &payment{terms: d}, nil
}

type payment struct {
	terms *paymentTerms
	done  bool
}

func (p *payment) Header() string { return p.terms.header }

// Value is a wei where there is a payment at all.
func (p *payment) Value() pm.Value {
	if p.terms.header == "" {
		return pm.Value{}
	}
	return pm.WeiValue(core.NewWei(1))
}

func (p *payment) Settle(how sender.Outcome, units int64) {
	p.terms.mu.Lock()
	defer p.terms.mu.Unlock()
	if !p.done {
		p.done = true
		p.terms.settled = append(p.terms.settled, settled{how, units})
	}
}

func (p *payment) Received(units int64) {
	p.terms.mu.Lock()
	defer p.terms.mu.Unlock()
	p.terms.received = append(p.terms.received, units)
}

func (p *payment) Forgo() {
	p.terms.mu.Lock()
	defer p.terms.mu.Unlock()
	p.terms.forgone++
}

func (p *payment) Blame() {}

func (p *payment) Credited() {
	p.terms.mu.Lock()
	defer p.terms.mu.Unlock()
	p.terms.credited++
}

func (p *payment) Left(units int64) { p.LeftAfter(0, units) }

func (p *payment) LeftAfter(came, units int64) {
	p.Received(-units)
	p.terms.mu.Lock()
	defer p.terms.mu.Unlock()
	p.terms.came = append(p.terms.came, came)
}

// only is the one payment's end.
func (d *paymentTerms) only(t *testing.T) settled {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.settled) != 1 || len(d.paid) != 1 {
		t.Fatalf("paid %v, settled %v", d.paid, d.settled)
	}
	return d.settled[0]
}

// payer pays with one deal.
type payer struct {
	upstream.FreePayments
	terms *paymentTerms
}

func (p payer) PaymentTerms(upstream.Info, upstream.Work) (upstream.PaymentTerms, error) {
	return p.terms, nil
}

func says(status int, code, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if code != "" {
			w.Header().Set("Tutti-Code", code)
		}
		http.Error(w, text, status)
	}
}
