package airouting_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/airouting"
)

// A client that was asked to come back later leaves an orchestrator alone until then, and gets the
// shortest of the times; others are not held back, however many are.
func TestHeldClients(t *testing.T) {
	t.Parallel()
	table := airouting.NewTable(airouting.Options{Rand: func() float64 { return 0 }})
	table.Put(airouting.Offer{URI: "a", Warm: true})
	table.Put(airouting.Offer{URI: "b"})
	now := time.Unix(1000, 0)
	busy := func(client string, after time.Duration) {
		t.Helper()
		l, v := table.Pick(now, airouting.Query{Client: client})
		if v != airouting.Picked {
			t.Fatal(v)
		}
		l.Busy(now, after)
		l.Done(now, airouting.Full)
	}
	busy("x", 30*time.Second)
	busy("x", 20*time.Second)
	q := airouting.Query{Client: "x"}
	if _, v := table.Pick(now, q); v != airouting.BackingOff {
		t.Errorf("picked: %v", v)
	}
	if left := table.BackoffLeft(now, q); left != 20*time.Second {
		t.Errorf("held for %v", left)
	}
	if left := table.BackoffLeft(now, airouting.Query{Client: "y"}); left != 0 {
		t.Errorf("another client is held for %v", left)
	}
	for i := range 2000 { // more than are remembered
		busy(fmt.Sprint("stranger ", i), time.Minute)
	}
	if _, v := table.Pick(now, airouting.Query{Client: "y"}); v != airouting.Picked {
		t.Errorf("another client: %v", v)
	}
	if _, v := table.Pick(now.Add(20*time.Second), q); v != airouting.Picked {
		t.Errorf("after the time: %v", v)
	}
}
