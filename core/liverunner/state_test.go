package liverunner_test

import (
	"bytes"
	"encoding/gob"
	"testing"

	"github.com/tuttinode/tutti/core/liverunner"
)

// A successor gets what a runner's work costs: until the next heartbeat it takes work at that price.
func TestPricesAreHandedOver(t *testing.T) {
	t.Parallel()
	h, err := liverunner.ParseHeartbeat([]byte(`{"runner_url":"http://r","app":"x","price_info":{"price":"1.5"}}`),
		liverunner.Paid)
	if err != nil {
		t.Fatal(err)
	}
	left := liverunner.State{Runners: []liverunner.RunnerState{{ID: "r", Spec: h.Spec}, {ID: "free"}}}
	var line bytes.Buffer
	if err := gob.NewEncoder(&line).Encode(left); err != nil {
		t.Fatal(err)
	}
	var got liverunner.State
	if err := gob.NewDecoder(&line).Decode(&got); err != nil {
		t.Fatal(err)
	}
	if a, b := got.Runners[0].Spec.Price, h.Spec.Price; a.PerUnit.Price.String() != b.PerUnit.Price.String() ||
		a.PerUnit.PixelsPerUnit != b.PerUnit.PixelsPerUnit || a.Unit != b.Unit {
		t.Errorf("%v, want %v", a, b)
	}
	if got.Runners[1].Spec.Price.IsSet() {
		t.Error("a runner without a price has one")
	}
}
