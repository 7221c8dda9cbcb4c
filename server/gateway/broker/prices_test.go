package broker_test

import (
	"fmt"
	"testing"

	"github.com/tuttinode/tutti/server/rpc"
)

// The list of models has the prices of the offers, and of models that were asked for the exact ones.
func TestModelsHavePrices(t *testing.T) {
	t.Parallel()
	listed := func(perUnit int64) func(*rpc.OrchestratorInfo) {
		return func(i *rpc.OrchestratorInfo) {
			price(i) // 5 wei, with the terms of a model
			i.CapabilitiesPrices = []*rpc.PriceInfo{
				{PricePerUnit: perUnit, PixelsPerUnit: 1, Capability: uint32(llm.Capability), Constraint: llm.ID},
				{PricePerUnit: 1, PixelsPerUnit: 0, Capability: uint32(llm.Capability), Constraint: "org/wrong"},
				{PricePerUnit: -1, PixelsPerUnit: 1, Capability: uint32(llm.Capability), Constraint: llm.ID},
			}
		}
	}
	a, b := fake(t, "a").offers(listed(4)), fake(t, "b").offers(listed(7))
	s := start(t, brief, a, b)
	prices := func() string {
		states, err := s.Models(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range states {
			if m.Model == llm && m.Prices != nil {
				return fmt.Sprintf("%s to %s", m.Prices.Low.RatString(), m.Prices.High.RatString())
			}
		}
		return "none"
	}
	if got := prices(); got != "4 to 7" {
		t.Errorf("listed: %s", got)
	}
	s.mustAsk(t)
	eventually(t, "the exact price", func() bool { return prices() == "5 to 5" })
}
