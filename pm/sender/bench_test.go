package sender_test

import (
	"testing"

	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/sender"
)

// BenchmarkPay is a payment with its tickets on disk: the gateway's part of what
// paying adds to a job.
func BenchmarkPay(b *testing.B) {
	for name, n := range map[string]int64{"none": 0, "1 ticket": 1, "100 tickets": 100} {
		b.Run(name, func(b *testing.B) {
			k := begin(b, b.TempDir(), nil)
			offer := terms(params(1, 30), func(t *sender.Terms) {
				t.Nonces = 1 << 30
				if n == 0 {
					t.Price = pm.Price{}
				}
			})
			for b.Loop() {
				p, err := k.Pay(b.Context(), offer, n*30-1)
				if err != nil || len(p.Tickets) != int(n) {
					b.Fatal(err)
				}
				p.Settle(sender.Failed, 0)
			}
		})
	}
}
