package main

import (
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/test/figures"
)

// batch is how many tickets are validated before their peer has its turn: short
// enough that both see the same machine.
const batch = 50

// ticket is one ticket of a payment compared with the bare recovery of its signature.
func (s settings) ticket() error {
	d, err := newPaymentSetup()
	if err != nil {
		return err
	}
	p, err := d.pay(batch)
	if err != nil {
		return err
	}
	var ours, theirs, ratios []float64
	for range s.runs {
		var a, b time.Duration
		for range s.tickets / batch {
			x, err := d.validate(p)
			if err != nil {
				return err
			}
			y, err := d.recoverAll(p)
			if err != nil {
				return err
			}
			a, b = a+x, b+y
		}
		n := s.tickets / batch * batch
		ours, theirs, ratios = append(ours, micros(a, n)), append(theirs, micros(b, n)), append(ratios, float64(a)/float64(b))
	}
	fmt.Fprintf(s.out, "tickets of payments of %d, one core (median of %d)               tutti      peer          "+
		"ratio\n", batch, s.runs)
	s.sheet.Compare(figures.Lower, "validating a ticket | bare crypto.Ecrecover", "µs CPU", figures.Median(ours),
		figures.Median(theirs), figures.Median(ratios), 1.15)
	return nil
}

// validate is the CPU time of validating one payment's tickets.
func (d *paymentSetup) validate(p *pm.Payment) (time.Duration, error) {
	rand := pm.RecipientRand(d.secret, p.Params, p.Sender, d.quote.Price)
	start := cpu()
	v := d.checker.Tickets(p, rand, false, new(pm.Nonces))
	took := cpu() - start
	if len(v.Accepted) != len(p.Tickets) {
		return 0, fmt.Errorf("%d of %d tickets accepted: %w", len(v.Accepted), len(p.Tickets), v.Refused)
	}
	return took, nil
}

// recoverAll is the CPU time of recovering the same signatures and nothing else.
func (d *paymentSetup) recoverAll(p *pm.Payment) (time.Duration, error) {
	digests, sigs := make([][32]byte, len(p.Tickets)), make([][]byte, len(p.Tickets))
	for i, t := range p.Tickets {
		digests[i] = pm.TicketDigest(d.params.TicketHash(d.sender, t.Nonce))
		sigs[i] = append([]byte(nil), t.Sig...)
		sigs[i][64] -= 27
	}
	start := cpu()
	for i := range sigs {
		if _, err := crypto.Ecrecover(digests[i][:], sigs[i]); err != nil {
			return 0, err
		}
	}
	return cpu() - start, nil
}

// cores is what two cores validate compared with one, in the same time. On a machine that
// does other work too the two lines below it say what of the loss is the tickets':
// what two cores recover compared with one, and what CPU time a ticket takes more.
func (s settings) cores() error {
	d, err := newPaymentSetup()
	if err != nil {
		return err
	}
	p, err := d.pay(batch)
	if err != nil {
		return err
	}
	validate := func() error { _, err := d.validate(p); return err }
	bare := func() error { _, err := d.recoverAll(p); return err }
	var one, two, gains, bound, more []float64
	for range s.runs {
		before := cpu()
		a, err := s.rate(1, validate)
		if err != nil {
			return err
		}
		between := cpu()
		b, err := s.rate(2, validate)
		if err != nil {
			return err
		}
		// Two workers do twice the work.
		more = append(more, float64(cpu()-between)/2/float64(between-before))
		x, err := s.rate(1, bare)
		if err != nil {
			return err
		}
		y, err := s.rate(2, bare)
		if err != nil {
			return err
		}
		one, two, gains, bound = append(one, a), append(two, b), append(gains, b/a), append(bound, y/x)
	}
	fmt.Fprintf(s.out, "on one and on two of %d cores (median of %d)                   two       one          ratio\n",
		runtime.NumCPU(), s.runs)
	s.sheet.Compare(figures.Higher, "tickets a second, thousands", "", figures.Median(two), figures.Median(one),
		figures.Median(gains), 1.80)
	fmt.Fprintf(s.out, "  bare recoveries gain %.3f on this machine at this moment\n", figures.Median(bound))
	fmt.Fprintf(s.out, "  on two cores a ticket takes %.3f of the CPU time that it takes on one\n", figures.Median(more))
	return nil
}

// rate is how many thousand tickets a second so many workers get through.
func (s settings) rate(workers int, work func() error) (float64, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(workers))
	var wg sync.WaitGroup
	rounds := max(1, s.tickets/batch)
	failed := make([]error, workers)
	start := time.Now()
	for w := range workers {
		wg.Go(func() {
			for range rounds {
				if failed[w] = work(); failed[w] != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	took := time.Since(start)
	for _, err := range failed {
		if err != nil {
			return 0, err
		}
	}
	return float64(workers*rounds*batch) / took.Seconds() / 1000, nil
}

// payment is all that is computed for the payment of a request, from its header to
// its verdict; the ledger comes on top.
func (s settings) payment() error {
	d, err := newPaymentSetup()
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "a payment from header to verdict (median of %d)                CPU ms              asked\n",
		s.runs)
	for _, c := range []struct {
		tickets, rounds int
		asked           float64
	}{{1, 500, 0.3}, {100, 10, 12}} {
		header, err := d.header(c.tickets)
		if err != nil {
			return err
		}
		token, err := d.quote.AppendBinary(nil)
		if err != nil {
			return err
		}
		var costs []float64
		for range s.runs {
			start := cpu()
			for range c.rounds {
				if err := d.take(header, token, c.tickets); err != nil {
					return err
				}
			}
			costs = append(costs, micros(cpu()-start, c.rounds)/1000)
		}
		fmt.Fprintf(s.out, "  of %3d tickets                                  %16.3f           %8.2f\n", c.tickets,
			figures.Median(costs), c.asked)
		s.sheet.Less(fmt.Sprintf("of %d tickets, CPU", c.tickets), "ms", figures.Median(costs), c.asked)
	}
	return nil
}

// take reads a payment and its quote and checks the tickets.
func (d *paymentSetup) take(header string, token []byte, n int) error {
	m, err := rpc.DecodePayment(header)
	if err != nil {
		return err
	}
	p, err := rpc.FromPayment(m)
	if err != nil {
		return err
	}
	quote, err := pm.ParseQuote(token)
	if err != nil {
		return err
	}
	if err := p.Check(&quote); err != nil {
		return err
	}
	rand := pm.RecipientRand(d.secret, p.Params, p.Sender, quote.Price)
	if v := d.checker.Tickets(&p, rand, false, new(pm.Nonces)); len(v.Accepted) != n {
		return fmt.Errorf("%d of %d tickets accepted: %w", len(v.Accepted), n, v.Refused)
	}
	return nil
}
