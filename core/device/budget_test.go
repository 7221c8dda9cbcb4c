package device_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core/device"
)

func TestBudget(t *testing.T) {
	t.Parallel()
	b := device.NewBudget()
	if b.Free("a") != device.Unlimited || !b.Reserve("a", device.Models, 1<<50) || !b.Reserve("a", device.Models, 20) {
		t.Error("unknown memory must have room for all")
	}
	b.Furnish([]device.GPU{{UUID: "a", Memory: 24}})
	changed := b.Changed()
	if b.Reserve("a", device.Transcoding, 5) || b.Reserved("a", device.Transcoding) != 0 {
		t.Error("5 of 4 were given")
	}
	select {
	case <-changed:
		t.Error("a refusal is no change")
	default:
	}
	if !b.Reserve("a", device.Transcoding, 4) || b.Free("a") != 0 || b.Available("a", device.Transcoding) != 4 ||
		b.Available("a", device.Models) != 20 {
		t.Errorf("%v", b.Owners("a"))
	}
	<-changed
	// A device that came back smaller: no owner gets more, each may shrink.
	b.Furnish([]device.GPU{{UUID: "a", Memory: 10}})
	if b.Reserve("a", device.Models, 21) || b.Free("a") != 0 || !b.Reserve("a", device.Models, 6) ||
		b.Available("a", device.Transcoding) != 4 {
		t.Errorf("%v", b.Owners("a"))
	}
	if !b.Reserve("a", device.Models, 0) || len(b.Owners("a")) != 1 || b.Free("a") != 6 {
		t.Errorf("%v", b.Owners("a"))
	}
}

// TestBudgetIsNeverOverdrawn: of a device whose memory is known, no more is given
// than there is, and Free is what is left.
func TestBudgetIsNeverOverdrawn(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		total := device.Bytes(rapid.Int64Range(1, 100).Draw(t, "memory"))
		b := device.NewBudget()
		b.Furnish([]device.GPU{{UUID: "a", Memory: total}})
		want := make(map[string]device.Bytes)
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			owner := rapid.SampledFrom([]string{device.Transcoding, device.Models, "x"}).Draw(t, "owner")
			n := device.Bytes(rapid.Int64Range(-5, 120).Draw(t, "n"))
			others := device.Bytes(0)
			for other, has := range want {
				if other != owner {
					others += has
				}
			}
			got := b.Reserve("a", owner, n)
			if should := max(n, 0)+others <= total; got != should {
				t.Fatalf("%s asked for %d of %d besides %d: %v", owner, n, total, others, got)
			}
			if got {
				want[owner] = max(n, 0)
			}
			if sum := want[owner] + others; b.Free("a") != total-sum || b.Available("a", owner) != total-others {
				t.Fatalf("free %d, available %d, sum %d of %d", b.Free("a"), b.Available("a", owner), sum, total)
			}
		}
	})
}

func TestBudgetForAnOwner(t *testing.T) {
	t.Parallel()
	b := device.NewBudget()
	devices := []device.GPU{{UUID: "a", Memory: 24}, {UUID: "b"}, {UUID: "c", Memory: 10}}
	b.Furnish(devices[:2])
	b.Reserve("a", device.Transcoding, 4)
	b.Reserve("b", device.Transcoding, 4)
	got := b.For(device.Models, devices)
	if got[0].Memory != 20 || got[1].Memory != 0 || got[2].Memory != 10 || devices[0].Memory != 24 {
		t.Errorf("%+v", got)
	}
	b.Reserve("a", device.Transcoding, 24)
	if got := b.For(device.Models, devices); got[0].Memory != 1 {
		t.Errorf("%+v", got)
	}
	if mine := b.For(device.Transcoding, devices); mine[0].Memory != 24 {
		t.Errorf("%+v", mine)
	}
}
