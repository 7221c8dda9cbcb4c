package pm_test

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/pm"
)

// Prices of a rate stay on one decimal grid; those that somebody wrote stay exact.
func TestRoundedPrice(t *testing.T) {
	t.Parallel()
	for _, r := range []*big.Rat{big.NewRat(1200, 1), big.NewRat(1, 7), big.NewRat(5, 1e12), big.NewRat(3, 999_983),
		new(big.Rat)} {
		if got := pm.RoundedPrice(r); got.Rat().Cmp(r) != 0 {
			t.Errorf("%s became %s", r, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		r := big.NewRat(rapid.Int64Range(1, 1<<50).Draw(t, "num"), rapid.Int64Range(1_000_001, 1<<50).Draw(t, "den"))
		got := pm.RoundedPrice(r).Rat()
		lost := new(big.Rat).Sub(r, got)
		if lost.Sign() < 0 || lost.Cmp(new(big.Rat).Mul(r, big.NewRat(1, 100_000))) > 0 && r.Cmp(big.NewRat(1, 1e12)) > 0 {
			t.Fatalf("%s became %s", r, got)
		}
		if r.Denom().Cmp(big.NewInt(1_000_000)) > 0 && new(big.Int).Mod(big.NewInt(1e18), got.Denom()).Sign() != 0 {
			t.Fatalf("%s is on no decimal grid", got)
		}
	})
}

// Usual values stay exact; others are rounded up to a grid on which sums stay short.
func TestRoundedUp(t *testing.T) {
	t.Parallel()
	for _, r := range []*big.Rat{new(big.Rat), big.NewRat(1200, 1), big.NewRat(-1, 7), big.NewRat(1, 1000),
		big.NewRat(999, 997), big.NewRat(1, 1e18)} {
		if got := pm.ValueOf(r).RoundedUp(); got.Rat().Cmp(r) != 0 {
			t.Errorf("%s became %s", r, got.Rat())
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		r := big.NewRat(rapid.Int64().Draw(t, "num"), rapid.Int64Range(1, 1<<62).Draw(t, "den"))
		got := pm.ValueOf(r).RoundedUp().Rat()
		more := new(big.Rat).Sub(got, r)
		if more.Sign() < 0 || more.Cmp(big.NewRat(1, 1e18)) >= 0 {
			t.Fatalf("%s became %s", r, got)
		}
		if d := got.Denom(); d.Cmp(big.NewInt(1000)) > 0 && new(big.Int).Mod(big.NewInt(1e18), d).Sign() != 0 {
			t.Fatalf("%s has an unusual denominator", got)
		}
	})
}
