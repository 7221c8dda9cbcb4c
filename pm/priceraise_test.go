package pm_test

import (
	"math/big"
	"testing"

	"github.com/tuttinode/tutti/pm"
)

func TestPriceRaised(t *testing.T) {
	t.Parallel()
	one, two, three := big.NewRat(1, 1), big.NewRat(2, 1), big.NewRat(3, 1)
	for _, c := range []struct {
		first, now *big.Rat
		raised     bool
	}{{one, two, false}, {one, three, true}, {nil, one, true}, {nil, nil, false}, {one, nil, false},
		{new(big.Rat), one, true}, {nil, new(big.Rat), false}} {
		if got := pm.PriceRaised(c.first, c.now); got != c.raised {
			t.Errorf("from %v to %v: %v", c.first, c.now, got)
		}
	}
}
