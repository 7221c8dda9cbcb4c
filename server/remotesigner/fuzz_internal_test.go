package remotesigner

import (
	"encoding/json"
	"math/big"
	"testing"

	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/sender"
)

// What an orchestrator says of its runners is bounded, and each runner that is taken has an address, an app and a price
// within the highest.
func FuzzDiscovery(f *testing.F) {
	f.Add([]byte(`[{"address":"https://o","runners":[{"url":"https://o/apps/r/session","app":"a",` +
		`"price_info":{"price":5,"currency":"wei","unit":"seconds"}}]}]`))
	f.Add([]byte(`[{"runners":[{"url":"u","app":"a","price_info":{"price":"1e9","currency":"wei","unit":"fixed"}},0]}]`))
	f.Add([]byte(`[{"runners":null},{}]`))
	most := big.NewRat(1000, 1)
	f.Fuzz(func(t *testing.T, data []byte) {
		list := readRunners(data, most)
		if len(list) > maxRunners {
			t.Error(len(list), "runners")
		}
		for _, r := range list {
			var got struct {
				URL   string `json:"url"`
				App   string `json:"app"`
				Price struct {
					Price json.Number `json:"price"`
				} `json:"price_info"`
			}
			if err := json.Unmarshal(r.raw, &got); err != nil || got.URL == "" || got.App == "" || got.App != r.app {
				t.Fatalf("%s: %v", r.raw, err)
			}
			if n, err := got.Price.Price.Int64(); err != nil || n < 1 || n > 1000 {
				t.Errorf("a price of %s", got.Price.Price)
			}
		}
	})
}

// The state in a signer's answer is another node's: the units that it pays for are a number, or an error.
func FuzzStateOfAnAnswer(f *testing.F) {
	f.Add([]byte(`{"StateID":"a","Balance":"1/3","InitialPricePerUnit":5,"InitialPixelsPerUnit":2}`), 3)
	f.Add([]byte(`{"Balance":"1e999999","InitialPricePerUnit":-1}`), 1)
	f.Add([]byte(`{"Balance":"-7"}`), 0)
	terms := &sender.Terms{Price: pm.Price{PerUnit: 3, PixelsPerUnit: 1}}
	f.Fuzz(func(t *testing.T, state []byte, n int) {
		units, err := unitsFor(terms, &signedState{State: state}, max(0, n%1000))
		if err == nil && units < 1 {
			t.Error(units, "units")
		}
	})
}
