package device_test

import (
	"fmt"
	"testing"

	"github.com/tuttinode/tutti/core/device"
)

func TestTalliesAreKeptByName(t *testing.T) {
	t.Parallel()
	var all device.Tallies
	all.Of("rig1").Done()
	all.Of("rig1").Failed()
	all.Of("rig2").Done()
	if done, failed := all.Of("rig1").Counts(); done != 1 || failed != 1 {
		t.Errorf("rig1 comes back with %d done, %d failed", done, failed)
	}
}

func TestTalliesAreBounded(t *testing.T) {
	t.Parallel()
	var all device.Tallies
	all.Of("first").Done()
	for i := range 4096 {
		all.Of(fmt.Sprint(i)).Done()
	}
	if done, _ := all.Of("4095").Counts(); done != 1 {
		t.Error("the newest name was forgotten")
	}
	if done, _ := all.Of("first").Counts(); done != 0 {
		t.Error("names are kept without a bound")
	}
}
