package verb_test

import (
	"errors"
	"testing"

	"github.com/tuttinode/tutti/cmd/tutti_cli/verb"
	"github.com/tuttinode/tutti/core"
)

func TestGasBound(t *testing.T) {
	t.Parallel()
	const below, above = "unusual: a highest price of 0.00000003 gwei is below the present price of gas, 0.1 gwei: " +
		"nothing would be sent until the price falls",
		"unusual: 1000000000 gwei is more than a thousand times the present price of gas, 0.1 gwei"
	tests := []struct {
		text     string
		highest  bool
		present  core.Wei
		want     string
		readings int
	}{
		{"30", true, core.NewWei(100_000_000), below, 2},
		{"30wei", true, core.NewWei(100_000_000), below, 1},
		{"30", false, core.NewWei(100_000_000), "30", 0},
		{"30", true, core.Wei{}, "30", 0},
		{"0", true, core.NewWei(100_000_000), "0", 0},
		{"100000000", true, core.NewWei(100_000_000), "100000000", 0},
		{"100gwei", true, core.NewWei(100_000_000), "100000000000", 0},
		{"1ETH", true, core.NewWei(100_000_000), above, 1},
		{"1ETH", false, core.NewWei(100_000_000), above, 1},
		{"1000000000000000000", true, core.NewWei(100_000_000), above, 1},
		{"0.5", true, core.NewWei(100_000_000),
			"error: not a price of gas: write wei as a whole number, or with a unit, 0.1gwei; 0 is no bound", 0},
	}
	for _, tt := range tests {
		w, err := verb.ParseGasBound(tt.text, tt.highest, tt.present, verb.Strict)
		if got := outcome(w, err); got != tt.want {
			t.Errorf("%q: %s, want %s", tt.text, got, tt.want)
		}
		d, _ := errors.AsType[*verb.UnusualInput](err)
		if d == nil {
			continue
		}
		if len(d.Readings) != tt.readings {
			t.Errorf("%q: %d readings", tt.text, len(d.Readings))
		}
		for i, r := range d.Readings {
			if _, err := verb.ParseGasBound(r.Text, tt.highest, tt.present, verb.InputCheck(i == 0)); err != nil {
				t.Errorf("%q: reading %q: %v", tt.text, r.Text, err)
			}
		}
	}
}
