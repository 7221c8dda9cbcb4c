package inventory_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/fakegpu"
	"github.com/tuttinode/tutti/transcoder/gpus"
)

// TestAMachine has two GPUs, the first in the driver's order on the later slot.
func TestAMachine(t *testing.T) {
	t.Parallel()
	d := fakegpu.Build(t)
	d.Script("devices=2", "driver=550.54.15",
		"device0.pci=0000:5e:00.0", "device0.name=NVIDIA L4", "device0.memory=23034", "device0.used=2048",
		"device0.temperature=61", "device0.utilization.encoder=40",
		"device0.utilization.decoder=20", "device0.encoder.others=3", "device0.processes=4242:1500:/usr/bin/python3",
		"device1.pci=0000:3b:00.0", "device1.name=NVIDIA H200", "device1.compute=90", "device1.encodes=0")
	r := watch(t, options(t, d))
	if r.Err() != nil || r.Driver().Version != "550.54.15" || !strings.HasPrefix(r.Driver().CUDA, "12.") {
		t.Fatalf("%v, %+v", r.Err(), r.Driver())
	}
	list := r.Devices()
	if len(list) != 2 {
		t.Fatalf("%+v", list)
	}
	first, second := list[0], list[1]
	if first.Index != 0 || first.PCI != "0000:3b:00.0" || first.Name != "NVIDIA H200" || first.Encodes ||
		first.Compute != 90 {
		t.Errorf("%+v", first)
	}
	if second.Index != 1 || second.PCI != "0000:5e:00.0" || !second.Encodes || second.Memory != 23034<<20 ||
		first.UUID == second.UUID {
		t.Errorf("%+v", second)
	}
	s, ok := r.Sample(second.UUID)
	if !ok || s.Used < 2048<<20 || s.Temperature != 61 || s.SlowdownAt != 93 || s.Encoder != 40 || s.Decoder != 20 ||
		s.EncoderSessions != 3 || s.Throttled != "" {
		t.Errorf("%+v", s)
	}
	if len(s.Processes) != 1 || s.Processes[0].PID != 4242 || s.Processes[0].Name != "python3" || s.Foreign != 1500<<20 {
		t.Errorf("%+v", s)
	}
	o := options(t, d)
	for _, name := range []string{"1", string(second.UUID), strings.ToLower(string(second.UUID))} {
		var err error
		if o.Selection, err = device.ParseSelection(name); err != nil {
			t.Fatal(err)
		}
		if w := gpus.Find(t.Context(), o, time.Minute); w.Err() != nil || len(w.Devices()) != 1 || w.Devices()[0] != second {
			t.Errorf("%s: %v, %+v", name, w.Err(), w.Devices())
		}
	}
}

// TestWhyNot: each reason has its code.
func TestWhyNot(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		script []string
		want   fault.Code
		says   string
		usable int
	}{
		"driver not loaded": {[]string{"nvml.init=9"}, fault.NoDevices, "", 0},
		"mismatch":          {[]string{"nvml.init=18"}, fault.GPUDriverMismatch, "reboot", 0},
		"no permission":     {[]string{"nvml.init=4"}, fault.GPUNoPermission, "", 0},
		"unknown":           {[]string{"nvml.init=999"}, fault.CUDALibrary, "", 0},
		"none":              {[]string{"devices=0"}, fault.NoDevices, "the driver shows no GPU", 0},
		"too old":           {[]string{"driver=470.256.02"}, fault.DriverTooOld, "470.256.02", 0},
		"divided":           {[]string{"devices=2", "device1.mig=1"}, fault.GPUIsMIG, "GPU 1", 1},
		"lost":              {[]string{"devices=2", "device1.lost=1"}, fault.GPUFault, "XID 79", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := fakegpu.Build(t)
			d.Script(row.script...)
			w := gpus.Find(t.Context(), options(t, d), time.Minute)
			if f := w.Err(); f == nil || f.Code != row.want || !strings.Contains(f.Detail, row.says) ||
				len(w.Devices()) != row.usable {
				t.Errorf("%v, %+v", f, w.Devices())
			}
		})
	}
}

func TestWithoutTheLibrary(t *testing.T) {
	t.Parallel()
	d := fakegpu.Build(t)
	d.Remove(t, "libnvidia-ml.so.1")
	if w := gpus.Find(t.Context(), options(t, d), time.Minute); !w.Blind() || w.Err() == nil {
		t.Errorf("%v, %+v", w.Err(), w.Devices())
	}
}

// TestWhatHappensToCards while they are watched.
func TestWhatHappensToCards(t *testing.T) {
	t.Parallel()
	d := fakegpu.Build(t)
	d.Script("devices=2")
	r := watch(t, options(t, d))
	if !r.board.Healthy() {
		t.Fatal(r.board.Snapshot())
	}
	d.Set("device0.xid", "31")
	until(t, "an XID", func() bool { return strings.HasPrefix(r.shows(fault.GPUFault, "0"), "XID 31: ") })
	d.Set("device0.xid", "48/2")
	until(t, "another XID", func() bool { return strings.HasPrefix(r.shows(fault.GPUFault, "0"), "XID 48: ") })
	d.Set("device1.ecc", "5")
	until(t, "memory errors", func() bool { return r.shows(fault.GPUMemoryErrors, "1") == "5 errors were not corrected." })
	d.Set("device1.throttle", "64")
	until(t, "throttling", func() bool {
		s, ok := r.Sample(r.Present()[1].UUID)
		return ok && s.Throttled == device.ByTemperature
	})
	d.Set("device1.lost", "1")
	until(t, "a lost GPU", func() bool {
		return strings.HasPrefix(r.shows(fault.GPUFault, "1"), "XID 79: ") && len(r.Devices()) == 1
	})
	d.Set("device1.lost", "0")
	until(t, "a GPU that came back", func() bool { return r.shows(fault.GPUFault, "1") == "" && len(r.Devices()) == 2 })
}

// TestALibraryThatKills: the node stays, and goes on when the library does.
func TestALibraryThatKills(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ key, says string }{{"nvml.crash", "ended ("}, {"nvml.hang", "does not answer"}} {
		t.Run(row.key, func(t *testing.T) {
			t.Parallel()
			d := fakegpu.Build(t)
			o := options(t, d)
			// Long enough for a crowded machine to start a process, short enough to wait for.
			o.First, o.Silence, o.Retry = 5*time.Second, 2*time.Second, 50*time.Millisecond
			r := watch(t, o)
			until(t, "a GPU", func() bool { return len(r.Devices()) == 1 && r.board.Healthy() })
			d.Set(row.key, "1")
			until(t, "the condition", func() bool { return strings.Contains(r.shows(fault.GPUWatchFailed, ""), row.says) })
			if len(r.Devices()) != 1 || r.Err() != nil {
				t.Errorf("the GPU is gone: %v", r.Err())
			}
			d.Unset(row.key)
			until(t, "all well", r.board.Healthy)
		})
	}
}

// TestACardComesLate: the library does not see it before the next scan.
func TestACardComesLate(t *testing.T) {
	t.Parallel()
	d := fakegpu.Build(t)
	o := options(t, d)
	o.Selection = device.Selection{IDs: []int{0, 1}}
	r := watch(t, o)
	until(t, "the condition", func() bool {
		return strings.HasPrefix(r.shows(fault.GPUIndexUnknown, ""), "there is no GPU 1; the machine has 0 (")
	})
	d.Set("devices", "2")
	until(t, "two GPUs", func() bool { return len(r.Devices()) == 2 && r.board.Healthy() })
}
