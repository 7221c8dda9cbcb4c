package sender_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/sender"
)

// Whatever numbers an orchestrator's terms have, a payment is within the limits or refused by a fault of its own.
func TestTermsAtTheEdges(t *testing.T) {
	t.Parallel()
	power := func(n uint, less int64) *big.Int {
		return new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), n), big.NewInt(less))
	}
	amounts := []*big.Int{new(big.Int), big.NewInt(1), power(53, 0), wei("1000000000000000000").Big(),
		wei("1000000000000000001").Big(), power(255, 0), power(256, 1)}
	prices := []pm.Price{{PerUnit: 1, PixelsPerUnit: 1}, {PerUnit: math.MaxInt64, PixelsPerUnit: 1},
		{PerUnit: 1, PixelsPerUnit: math.MaxInt64}, {PerUnit: math.MaxInt64, PixelsPerUnit: math.MaxInt64 - 1}}
	k := begin(t, t.TempDir(), nil)
	limits := pm.Limits{MaxEV: wei("3000000000000"), MaxTotalEV: wei("20000000000000")}
	set, paid := 0, 0
	for _, face := range amounts {
		for _, prob := range amounts {
			for _, price := range prices {
				for _, units := range []int64{0, 1, 1e6, math.MaxInt64} {
					set++
					faceValue, err := core.WeiOf(face)
					if err != nil {
						t.Fatal(err)
					}
					p := params(1, 30)
					p.FaceValue, p.RecipientRandHash = faceValue, protocol.Hash{byte(set), byte(set >> 8)}
					prob.FillBytes(p.WinProb[:])
					name := core.ManifestID(big.NewInt(int64(set)).String())
					payment, err := k.Pay(t.Context(), terms(p, func(t *sender.Terms) {
						t.Price, t.Key, t.Session = price, name, core.SessionID(name)
						t.Model = string(name) // whose first price bounds later ones
					}), units)
					if err != nil {
						if c := fault.CodeOf(err); c == fault.Unexpected {
							t.Error(err)
						}
						continue
					}
					n := len(payment.Tickets)
					if n > 600 || n > 0 && p.EV().Times(int64(n)).Cmp(pm.WeiValue(limits.MaxTotalEV)) > 0 {
						t.Errorf("face %s prob %s price %v units %d: %d tickets", face, prob, price, units, n)
					}
					if n > 0 {
						paid++
					}
					payment.Settle(sender.Unsent, 0)
				}
			}
		}
	}
	if paid == 0 || paid == set {
		t.Errorf("%d of %d are paid", paid, set)
	}
}
