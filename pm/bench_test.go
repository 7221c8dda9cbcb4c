package pm_test

import (
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/tuttinode/tutti/pm"
)

// recovery is the bare recovery of a signature, against which a ticket is measured.
type recovery struct{ digest, sig []byte }

func newRecovery(d *paymentTerms, t *pm.Signed) recovery {
	digest := pm.TicketDigest(d.params.TicketHash(d.sender, t.Nonce))
	r := recovery{digest: digest[:], sig: append([]byte(nil), t.Sig...)}
	r.sig[64] -= 27
	return r
}

func (r recovery) run(b *testing.B, n int) time.Duration {
	b.Helper()
	start := time.Now()
	for range n {
		if _, err := crypto.Ecrecover(r.digest, r.sig); err != nil {
			b.Fatal(err)
		}
	}
	return time.Since(start)
}

// benchPayment makes a payment of n tickets.
func benchPayment(b *testing.B, n int) (*paymentTerms, *pm.Payment) {
	b.Helper()
	d := newDeal(b)
	p := d.pay(b)
	batch, err := d.params.Batch(d.sender, 1, n, signer(d.key))
	if err != nil {
		b.Fatal(err)
	}
	p.Tickets = batch
	return d, p
}

// BenchmarkTicket validates tickets in payments of 100, turn by turn with bare
// recoveries, and reports how many of those one ticket costs.
func BenchmarkTicket(b *testing.B) {
	const n = 100
	d, p := benchPayment(b, n)
	bare := newRecovery(d, &p.Tickets[0])
	var ours, theirs time.Duration
	b.ReportAllocs()
	for b.Loop() {
		theirs += bare.run(b, n)
		start := time.Now()
		if v := d.checker.Tickets(p, d.rand, false, new(pm.Nonces)); v.Refused != nil {
			b.Fatal(v.Refused)
		}
		ours += time.Since(start)
	}
	b.ReportMetric(float64(ours)/float64(theirs), "recoveries/ticket")
	b.ReportMetric(float64(ours.Nanoseconds())/float64(n*b.N), "ns/ticket")
}

// BenchmarkTickets validates on all cores at once; with -cpu 1,2 the two lines say
// how it scales.
func BenchmarkTickets(b *testing.B) {
	d, p := benchPayment(b, 1)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if v := d.checker.Tickets(p, d.rand, false, new(pm.Nonces)); v.Refused != nil {
				b.Error(v.Refused)
			}
		}
	})
}

// BenchmarkPayment is all that pm does for a payment: the random number is found
// again, the quote read, the payment compared with it, each ticket validated.
func BenchmarkPayment(b *testing.B) {
	for name, n := range map[string]int{"1": 1, "100": 100} {
		b.Run(name, func(b *testing.B) {
			d, p := benchPayment(b, n)
			token, err := (&pm.Quote{Sender: d.sender, Price: d.price}).AppendBinary(nil)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				quote, err := pm.ParseQuote(token)
				if err == nil {
					err = p.Check(&quote)
				}
				if err != nil {
					b.Fatal(err)
				}
				rand := pm.RecipientRand(d.secret, p.Params, p.Sender, quote.Price)
				if v := d.checker.Tickets(p, rand, false, new(pm.Nonces)); len(v.Accepted) != n {
					b.Fatal(v.Refused)
				}
			}
		})
	}
}
