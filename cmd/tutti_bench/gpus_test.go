package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fault"
)

func TestWhichGPUsAreMeasured(t *testing.T) {
	t.Parallel()
	have := []device.GPU{{Index: 0, UUID: "GPU-a"}, {Index: 2, UUID: "GPU-c"}}
	none := fault.New(fault.NoDevices, "watch GPUs", "")
	for _, row := range []struct {
		asked string
		have  []device.GPU
		why   *fault.Fault
		want  []target
		err   string
	}{
		{"all", have, nil, []target{{"0", "GPU-a"}, {"2", "GPU-c"}}, ""},
		{"all", nil, none, nil, "-gpu all: "},
		{"all", nil, nil, nil, "-gpu all: the driver does not say"},
		{"2", have[1:], nil, []target{{"2", "GPU-c"}}, ""},
		// Without a word from the driver those that were named are tried.
		{"1,GPU-c", nil, none, []target{{"1", ""}, {"GPU-c", "GPU-c"}}, ""},
		// A part of what was asked for would be measured in its place.
		{"0,1", have[:1], fault.New(fault.GPUIndexUnknown, "watch GPUs", "1"), nil, "-gpu 0,1: "},
	} {
		s, err := selection(row.asked)
		if err != nil {
			t.Fatal(err)
		}
		got, err := found(s, row.have, row.why)
		if !slices.Equal(got, row.want) || (err == nil) != (row.err == "") || err != nil &&
			!strings.HasPrefix(err.Error(), row.err) {
			t.Errorf("%s: %v, %v", row.asked, got, err)
		}
	}
}

// On a machine without GPUs -gpu all says so, and what was named is tried.
func TestAMachineWithoutGPUs(t *testing.T) {
	t.Parallel()
	for _, args := range []string{"-gpu all", "-gpu 7"} {
		s, err := parse(strings.Fields(args), &strings.Builder{})
		if err != nil {
			t.Fatal(err)
		}
		var errs strings.Builder
		got, stop, err := withGPUs(t.Context(), s, &errs)
		stop()
		if len(got.devices) > 0 && got.devices[0].uuid != "" {
			t.Skip("this machine has GPUs")
		}
		if s.selection.All == (err == nil) {
			t.Errorf("%s: %v, %v", args, deviceNames(got.devices), err)
		}
	}
}
