package nvml_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
	"github.com/NVIDIA/go-nvml/pkg/nvml/mock"

	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/transcoder/gpus"
	ours "github.com/tuttinode/tutti/transcoder/nvml"
)

var now = time.Unix(1e9, 0).UTC()

// same reads a report as its reader would.
func same(t *testing.T, l gpus.ReportLine) gpus.ReportLine {
	t.Helper()
	var b bytes.Buffer
	if err := gpus.WriteReport(&b, l); err != nil {
		t.Fatal(err)
	}
	got, err := gpus.ParseReport(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestEverythingIsRead(t *testing.T) {
	t.Parallel()
	f := newFake(plainCard("GPU-bb", 0x5e), plainCard("GPU-aa", 0x3b))
	r := opened(t, f)
	l := same(t, r.Read(now))
	if l.Driver != (device.Driver{Version: "550.54.15", CUDA: "12.4"}) || len(l.Devices) != 2 || l.Unreadable != nil {
		t.Fatalf("%+v", l)
	}
	// In the order of the bus, whatever the driver's.
	want := device.GPU{Index: 0, UUID: "GPU-aa", PCI: "0000:3b:00.0", Name: "NVIDIA L4", Memory: 24 * gib, Compute: 89,
		Encodes: true}
	if got := l.Devices[0].Device; got != want {
		t.Errorf("%+v", got)
	}
	if d := l.Devices[1].Device; d.Index != 1 || d.UUID != "GPU-bb" {
		t.Errorf("%+v", d)
	}
	sample := device.Sample{
		At: now, Used: gib, GPU: 33, Encoder: 100, Decoder: 7, EncoderSessions: 4, Temperature: 55, SlowdownAt: 96,
		Processes: []device.Process{{PID: 7, Name: "python3", Used: gib}, {PID: 5, Name: "python3", Used: 3},
			{PID: 6, Name: "python3"}},
	}
	if got := l.Devices[0].Sample; !reflect.DeepEqual(got, sample) {
		t.Errorf("%+v", got)
	}
	if r.Close(); !f.closed {
		t.Error("the library was not given back")
	}
}

// TestAnOldDriver lacks all that it can: nothing of it is called, and all is 0.
func TestAnOldDriver(t *testing.T) {
	t.Parallel()
	f := newFake(plainCard("GPU-aa", 1))
	f.only = []string{"nvmlSystemGetDriverVersion", "nvmlDeviceGetCount", "nvmlDeviceGetHandleByIndex",
		"nvmlDeviceGetUUID", "nvmlDeviceGetName", "nvmlDeviceGetPciInfo", "nvmlDeviceGetMemoryInfo"}
	// A call of what is lacking would be a nil function.
	full := plainCard("GPU-aa", 1)
	f.cards[0] = &card{&mock.Device{
		GetUUIDFunc: full.GetUUIDFunc, GetNameFunc: full.GetNameFunc, GetPciInfoFunc: full.GetPciInfoFunc,
		GetMemoryInfoFunc: full.GetMemoryInfoFunc,
	}}
	f.ShutdownFunc, f.EventSetCreateFunc = nil, nil
	f.SystemGetCudaDriverVersion_v2Func, f.SystemGetProcessNameFunc = nil, nil
	r := opened(t, f)
	l := same(t, r.Read(now))
	if got := l.Devices[0]; !reflect.DeepEqual(got, gpus.ReportEntry{
		Device: device.GPU{UUID: "GPU-aa", PCI: "0000:01:00.0", Name: "NVIDIA L4", Memory: 24 * gib, Encodes: true},
		Sample: device.Sample{At: now, Used: 2 * gib},
	}) {
		t.Errorf("%+v", got)
	}
	r.Close()
	f.only = slices.DeleteFunc(f.only, func(name string) bool { return name == "nvmlDeviceGetUUID" })
	if _, problem := ours.OpenWith(f); problem == nil || problem.Kind != gpus.OldLibrary ||
		!strings.Contains(problem.Detail, "nvmlDeviceGetUUID") {
		t.Errorf("%+v", problem)
	}
}

// TestRefusals are answers of functions that exist: they are no errors either.
func TestRefusals(t *testing.T) {
	t.Parallel()
	c := plainCard("GPU-aa", 1)
	no := nvml.ERROR_NOT_SUPPORTED
	c.GetMemoryInfo_v2Func = func() (nvml.Memory_v2, nvml.Return) {
		return nvml.Memory_v2{},
			nvml.ERROR_FUNCTION_NOT_FOUND
	}
	c.GetCudaComputeCapabilityFunc = func() (int, int, nvml.Return) { return 0, 0, no }
	c.GetUtilizationRatesFunc = func() (nvml.Utilization, nvml.Return) { return nvml.Utilization{Gpu: 9}, no }
	c.GetEncoderUtilizationFunc = func() (uint32, uint32, nvml.Return) { return 9, 9, no }
	c.GetDecoderUtilizationFunc = func() (uint32, uint32, nvml.Return) { return 9, 9, no }
	c.GetEncoderStatsFunc = func() (int, uint32, uint32, nvml.Return) { return 9, 9, 9, no }
	c.GetTemperatureFunc = func(nvml.TemperatureSensors) (uint32, nvml.Return) { return 9, no }
	c.GetTemperatureThresholdFunc = func(nvml.TemperatureThresholds) (uint32, nvml.Return) { return 9, no }
	c.GetCurrentClocksThrottleReasonsFunc = func() (uint64, nvml.Return) { return 0xff, no }
	c.GetTotalEccErrorsFunc = func(nvml.MemoryErrorType, nvml.EccCounterType) (uint64, nvml.Return) { return 9, no }
	c.GetComputeRunningProcessesFunc = func() ([]nvml.ProcessInfo, nvml.Return) { return nil, nvml.ERROR_NO_PERMISSION }
	c.GetGraphicsRunningProcessesFunc = c.GetComputeRunningProcessesFunc
	c.RegisterEventsFunc = func(uint64, nvml.EventSet) nvml.Return { return no }
	l := same(t, opened(t, newFake(c)).Read(now))
	if got := l.Devices[0].Sample; !reflect.DeepEqual(got, device.Sample{At: now, Used: 2 * gib}) {
		t.Errorf("%+v", got)
	}
}

func TestEncoders(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		compute int
		ret     nvml.Return
		want    bool
	}{
		{89, nvml.SUCCESS, true}, {89, nvml.ERROR_NOT_SUPPORTED, false}, {89, nvml.ERROR_UNKNOWN, true}, {86, nvml.SUCCESS,
			true},
		{80, nvml.SUCCESS, false}, {90, nvml.ERROR_UNKNOWN, false}, {100, nvml.SUCCESS, false}, {35, nvml.ERROR_UNKNOWN,
			false}, {70, nvml.ERROR_UNKNOWN, true},
	} {
		c := plainCard("GPU-aa", 1)
		c.GetCudaComputeCapabilityFunc = func() (int, int, nvml.Return) {
			return row.compute / 10, row.compute % 10,
				nvml.SUCCESS
		}
		c.GetEncoderCapacityFunc = func(nvml.EncoderType) (int, nvml.Return) { return 0, row.ret }
		if got := opened(t, newFake(c)).Read(now).Devices[0].Device.Encodes; got != row.want {
			t.Errorf("%d, %d: %v", row.compute, row.ret, got)
		}
	}
}

func TestThrottling(t *testing.T) {
	t.Parallel()
	var reasons uint64
	c := plainCard("GPU-aa", 1)
	c.GetCurrentClocksThrottleReasonsFunc = func() (uint64, nvml.Return) { return reasons, nvml.SUCCESS }
	r := opened(t, newFake(c))
	for bits, want := range map[uint64]string{
		0: "", nvml.ClocksThrottleReasonGpuIdle | nvml.ClocksThrottleReasonSyncBoost: "",
		nvml.ClocksThrottleReasonSwPowerCap:                                                 "power",
		nvml.ClocksThrottleReasonSwPowerCap | nvml.ClocksThrottleReasonSwThermalSlowdown:    "temperature",
		nvml.ClocksThrottleReasonHwSlowdown | nvml.ClocksThrottleReasonHwThermalSlowdown:    "temperature",
		nvml.ClocksThrottleReasonHwSlowdown | nvml.ClocksThrottleReasonHwPowerBrakeSlowdown: "power brake",
		nvml.ClocksThrottleReasonHwSlowdown |
			nvml.ClocksThrottleReasonApplicationsClocksSetting: "hardware slowdown",
		nvml.ClocksThrottleReasonApplicationsClocksSetting | nvml.ClocksThrottleReasonDisplayClockSetting: "",
	} {
		reasons = bits
		if got := r.Read(now).Devices[0].Sample.Throttled; got != want {
			t.Errorf("%#x: %q, want %q", bits, got, want)
		}
	}
}

func TestCriticalErrors(t *testing.T) {
	t.Parallel()
	a, b := plainCard("GPU-aa", 1), plainCard("GPU-bb", 2)
	f := newFake(a, b)
	r := opened(t, f)
	xid := func(c *card, n uint64) nvml.EventData {
		return nvml.EventData{Device: c, EventType: nvml.EventTypeXidCriticalError, EventData: n}
	}
	f.events = []nvml.EventData{xid(b, 13), {Device: a, EventType: 1, EventData: 99}, xid(b, 31), xid(a, 0),
		xid(a, 1<<40), xid(plainCard("GPU-cc", 3), 48)}
	l := r.Read(now)
	if a, b := l.Devices[0].Sample, l.Devices[1].Sample; a.XID != 0 || b.XID != 31 || b.XIDAt != now {
		t.Errorf("%+v %+v", a, b)
	}
	// It stays the last until there is another; a lost GPU says nothing else.
	later := now.Add(time.Second)
	b.GetMemoryInfo_v2Func = func() (nvml.Memory_v2, nvml.Return) { return nvml.Memory_v2{}, nvml.ERROR_GPU_IS_LOST }
	b.GetMemoryInfoFunc = func() (nvml.Memory, nvml.Return) { return nvml.Memory{}, nvml.ERROR_GPU_IS_LOST }
	for range 2 {
		if e := r.Read(later).Devices[1]; !e.Lost || e.Sample.XID != 79 || e.Sample.XIDAt != later ||
			e.Sample.Temperature != 0 {
			t.Errorf("%+v", e)
		}
		if s := r.Read(later.Add(time.Second)).Devices[1].Sample; s.XIDAt != later {
			t.Errorf("%+v", s)
		}
	}
}

// TestALostCardAtTheStart leaves the others their numbers.
func TestALostCardAtTheStart(t *testing.T) {
	t.Parallel()
	l := same(t, opened(t, newFake(nil, plainCard("GPU-bb", 2))).Read(now))
	if len(l.Unreadable) != 1 || l.Unreadable[0] != (gpus.Unreadable{Position: 0, Why: "the GPU is lost",
		Lost: true}) || len(l.Devices) != 1 || l.Devices[0].Device.Index != 1 {
		t.Errorf("%+v", l)
	}
}

func TestNoDriver(t *testing.T) {
	t.Parallel()
	for ret, want := range map[nvml.Return]gpus.ReportKind{
		nvml.ERROR_LIBRARY_NOT_FOUND: gpus.NoLibrary, nvml.ERROR_DRIVER_NOT_LOADED: gpus.NoDriver,
		nvml.ERROR_LIB_RM_VERSION_MISMATCH: gpus.Mismatch,
		nvml.ERROR_NO_PERMISSION:           gpus.NoPermission,
		nvml.ERROR_UNKNOWN:                 gpus.Failed,
		nvml.Return(555):                   gpus.Failed,
	} {
		// After a failed Init any other call would end the process.
		f := newFake()
		f.InitFunc = func() nvml.Return { return ret }
		f.ShutdownFunc, f.ExtensionsFunc = nil, nil
		if r, problem := ours.OpenWith(f); r != nil || problem.Kind != want || problem.Detail == "" {
			t.Errorf("%d: %+v", ret, problem)
		}
	}
	f := newFake()
	f.DeviceGetCountFunc = func() (int, nvml.Return) { return 0, nvml.ERROR_UNKNOWN }
	if _, problem := ours.OpenWith(f); problem == nil || problem.Kind != gpus.Failed || !f.closed {
		t.Errorf("%+v", problem)
	}
}

func TestDivided(t *testing.T) {
	t.Parallel()
	c := plainCard("GPU-aa", 1)
	c.GetMigModeFunc = func() (int, int, nvml.Return) { return 1, 1, nvml.SUCCESS }
	if l := opened(t, newFake(c)).Read(now); !l.Devices[0].Device.MIG {
		t.Errorf("%+v", l)
	}
}

// TestWatch writes a line per tick and ends with whoever reads.
func TestWatch(t *testing.T) {
	t.Parallel()
	tick := make(chan time.Time)
	in, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- opened(t, newFake(plainCard("GPU-aa", 1))).WatchWith(context.Background(), out, tick) }()
	buf := make([]byte, gpus.MaxBytes)
	for i := range 3 {
		if i > 0 {
			tick <- now
		}
		n, err := in.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		if l, err := gpus.ParseReport(buf[:n]); err != nil || len(l.Devices) != 1 {
			t.Fatalf("%q: %v", buf[:n], err)
		}
	}
	in.Close()
	tick <- now
	if err := <-ended; !errors.Is(err, io.ErrClosedPipe) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := opened(t, newFake()).WatchWith(ctx, io.Discard, tick); err != nil {
		t.Error(err)
	}
}

// TestThisMachine asks the real library, whatever there is.
func TestThisMachine(t *testing.T) {
	t.Parallel()
	r, problem := ours.Open()
	if problem != nil {
		t.Log("no driver: ", fmt.Sprint(*problem))
		return
	}
	defer r.Close()
	t.Logf("%+v", same(t, r.Read(now)))
}
