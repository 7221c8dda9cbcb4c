package pricing_test

import (
	"math/big"
	"testing"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pricing"
)

func TestAbovePriceCap(t *testing.T) {
	t.Parallel()
	one, two := big.NewRat(1, 1), big.NewRat(2, 1)
	for _, c := range []struct {
		price, most *big.Rat
		above       bool
	}{{two, one, true}, {one, one, false}, {one, two, false}, {two, nil, false}, {nil, one, false}, {nil, nil, false}} {
		if got := pricing.AbovePriceCap(c.price, c.most); got != c.above {
			t.Errorf("%v of at most %v: above is %v", c.price, c.most, got)
		}
	}
}

func TestLowestCap(t *testing.T) {
	t.Parallel()
	one, two := big.NewRat(1, 1), big.NewRat(2, 1)
	for _, c := range []struct{ a, b, want *big.Rat }{{one, two, one}, {two, one, one}, {nil, one, one},
		{one, nil, one}, {nil, nil, nil}} {
		if got := pricing.LowestCap(c.a, c.b); got != c.want {
			t.Errorf("of %v and %v: %v", c.a, c.b, got)
		}
	}
}

func TestPriceRules(t *testing.T) {
	t.Parallel()
	named := inference.Model{Capability: capability.LLM, ID: "m"}
	zero := inference.Model{Capability: capability.LLM, ID: "zero"}
	unnamed := inference.Model{Capability: capability.LLM, ID: "x"}
	image := inference.Model{Capability: capability.TextToImage, ID: "m"}
	rules := pricing.PriceRules{
		Models:    map[inference.Model]*big.Rat{named: big.NewRat(3, 1), zero: new(big.Rat)},
		Pipelines: map[capability.ID]*big.Rat{capability.LLM: big.NewRat(2, 1)},
		General:   big.NewRat(1, 1),
	}
	for m, want := range map[inference.Model]int64{named: 3, zero: 2, unnamed: 2, image: 1} {
		if got := rules.Max(m); got.Cmp(big.NewRat(want, 1)) != 0 {
			t.Errorf("%v: %v, want %d", m, got, want)
		}
	}
	if got := (pricing.PriceRules{General: new(big.Rat)}).Max(named); got != nil {
		t.Errorf("without a rule: %v", got)
	}
}
