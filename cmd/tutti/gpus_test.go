package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/cmd/tutti/internal/command"
	"github.com/tuttinode/tutti/cmd/tutti/internal/modelconfig"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/fakegpu"
)

// seen is what a test says was seen.
type seen struct {
	present []device.GPU
	faults  []*fault.Fault
	blind   bool
}

func (s seen) Present() []device.GPU  { return s.present }
func (s seen) Faults() []*fault.Fault { return s.faults }
func (s seen) Blind() bool            { return s.blind }

func TestContainerGPUs(t *testing.T) {
	t.Parallel()
	two := []device.GPU{{Index: 0, Memory: 24}, {Index: 1, Memory: 48, MIG: true}}
	of := func(codes ...fault.Code) (list []*fault.Fault) {
		for _, c := range codes {
			list = append(list, fault.New(c, "", ""))
		}
		return list
	}
	for name, row := range map[string]struct {
		seen  seen
		asked string
		want  string
	}{
		"all":                      {seen{present: two}, "all", "[{0 24} {1 48}] <nil>"},
		"divided ones do":          {seen{present: two, faults: of(fault.GPUIsMIG)}, "all", "[{0 24} {1 48}] <nil>"},
		"an old driver does":       {seen{present: two, faults: of(fault.DriverTooOld)}, "all", "[{0 24} {1 48}] <nil>"},
		"an old driver of nothing": {seen{faults: of(fault.DriverTooOld)}, "all", "[] DriverTooOld"},
		"some": {seen{present: two[:1], faults: of(fault.GPUIsMIG, fault.GPUIndexUnknown)}, "0,7",
			"[{0 24}] GPUIndexUnknown"},
		"all and no library": {seen{faults: of(fault.NoDevices), blind: true}, "all", "[] NoDevices"},
		"named and no library": {seen{faults: of(fault.GPUToolkitMissing), blind: true}, "1,0,GPU-aa",
			"[{1 0} {0 0} {GPU-aa 0}] <nil>"},
		"named and no driver": {seen{faults: of(fault.GPUDriverMismatch)}, "0", "[] GPUDriverMismatch"},
	} {
		asked, err := config.ParseDevices(row.asked)
		if err != nil {
			t.Fatal(err)
		}
		devices, err := modelconfig.ContainerGPUs(row.seen, asked)
		if got := fmt.Sprint(devices, err); got != row.want {
			t.Errorf("%s: %s, want %s", name, got, row.want)
		}
	}
}

// list runs `tutti gpu list` on a machine with this driver.
func list(t *testing.T, script []string, args ...string) (out, errs string, status int) {
	t.Helper()
	d := fakegpu.Build(t)
	d.Script(script...)
	t.Setenv("LD_LIBRARY_PATH", d.Directory())
	var stdout, stderr bytes.Buffer
	status = run(t.Context(), append([]string{"gpu", "list"}, args...), &stdout, &stderr)
	return stdout.String(), stderr.String(), status
}

func TestGPUList(t *testing.T) {
	out, _, status := list(t, []string{"devices=2", "device1.name=NVIDIA H200", "device1.compute=90", "device1.encodes=0",
		"device0.throttle=64"})
	for _, want := range []string{"driver 550.54.15, CUDA 12.", "NVIDIA GeForce RTX 4090", "slowed down: temperature",
		"usable, encodes on the CPU", "24564 MiB"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q:\n%s", want, out)
		}
	}
	if status != command.ExitOK {
		t.Error(status)
	}
}

func TestGPUListSaysWhyNot(t *testing.T) {
	for _, row := range []struct {
		script []string
		args   []string
		want   []string
	}{
		{[]string{"nvml.init=18"}, nil, []string{"GPUDriverMismatch: ", "Reboot."}},
		{[]string{"devices=2", "device1.mig=1"}, nil, []string{"divided (MIG)", "GPUIsMIG: GPU 1", "nvidia-smi -i N -mig 0",
			"usable"}},
		{[]string{"driver=470.256.02"}, nil, []string{"not usable", "DriverTooOld: the driver is 470.256.02", "530.41.03"}},
		{nil, []string{"-gpu", "0,7"}, []string{"usable", "GPUIndexUnknown: there is no GPU 7; the machine has 0 ("}},
	} {
		out, _, status := list(t, row.script, row.args...)
		for _, want := range row.want {
			if !strings.Contains(out, want) {
				t.Errorf("%v: no %q:\n%s", row.script, want, out)
			}
		}
		if status != command.ExitFailed {
			t.Errorf("%v: %d", row.script, status)
		}
	}
}

func TestGPUListAsJSON(t *testing.T) {
	out, _, status := list(t, []string{"devices=2", "device1.mig=1"}, "-json")
	var got struct {
		Driver   string
		GPUs     []command.GPURow
		Problems []command.GPUProblem
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	if status != command.ExitFailed || got.Driver != "550.54.15" || len(got.GPUs) != 2 || !got.GPUs[0].Usable ||
		got.GPUs[1].Usable || len(got.Problems) != 1 || got.Problems[0].Remedy == "" {
		t.Errorf("%d, %+v", status, got)
	}
}

func TestGPUListUsage(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"gpu"}, {"gpu", "what"}, {"gpu", "list", "x"}, {"gpu", "list", "-gpu", "x"},
		{"gpu", "list", "-gpu", ""}} {
		var stdout, stderr bytes.Buffer
		if status := run(t.Context(), args, &stdout, &stderr); status != command.ExitUsage ||
			!strings.Contains(stderr.String(), "usage: tutti gpu list") {
			t.Errorf("%v: %d, %s", args, status, &stderr)
		}
	}
}
