package fakegpu_test

import (
	"os"
	"slices"
	"testing"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/tuttinode/tutti/test/fakegpu"
)

// found gives a value whose asking must succeed.
func found[T any](t *testing.T, what string) func(T, nvml.Return) T {
	return func(v T, ret nvml.Return) T {
		t.Helper()
		if ret != nvml.SUCCESS {
			t.Errorf("%s: %v", what, ret)
		}
		return v
	}
}

// NVML is loaded into this process by name, as go-nvml does it.
func TestNVML(t *testing.T) {
	d := fakegpu.Load(t)
	d.Script("devices=2", "driver=535.104.05", "device0.pci=0000:81:00.0", "device1.pci=0000:3b:00.0",
		"device1.name=NVIDIA L4", "device1.memory=23034", "device1.used=1000",
		"device1.compute=89", "device1.temperature=88", "device1.slowdown=96", "device1.throttle=64",
		"device1.utilization=71", "device1.utilization.encoder=35",
		"device1.ecc=3", "device1.processes=4711:600:python3,4712:400:/usr/bin/Xorg", "device1.encoder.others=2",
		"device0.mig=1")
	lib := nvml.New()
	if ret := lib.Init(); ret != nvml.SUCCESS {
		t.Fatal(ret)
	}
	defer lib.Shutdown()
	if v := found[string](t, "driver")(lib.SystemGetDriverVersion()); v != "535.104.05" {
		t.Errorf("driver %q", v)
	}
	if v := found[int](t, "CUDA")(lib.SystemGetCudaDriverVersion_v2()); v != 12020 {
		t.Errorf("CUDA %d", v)
	}
	if n := found[int](t, "count")(lib.DeviceGetCount()); n != 2 {
		t.Errorf("%d devices", n)
	}
	// In order of the bus, the script's second comes first.
	dev := found[nvml.Device](t, "handle")(lib.DeviceGetHandleByIndex(0))
	if name := found[string](t, "name")(dev.GetName()); name != "NVIDIA L4" {
		t.Errorf("device 0 is %q", name)
	}
	uuid := found[string](t, "uuid")(dev.GetUUID())
	if again := found[nvml.Device](t, "by UUID")(lib.DeviceGetHandleByUUID(uuid)); again != dev {
		t.Error("the UUID names another device")
	}
	if p := found[nvml.PciInfo](t, "PCI")(dev.GetPciInfo()); p.Bus != 0x3b || p.Domain != 0 {
		t.Errorf("PCI %+v", p)
	}
	if m := found[nvml.Memory](t, "memory")(dev.GetMemoryInfo()); m.Total != 23034<<20 || m.Used != 1000<<20 ||
		m.Free != m.Total-m.Used {
		t.Errorf("memory %+v", m)
	}
	if m := found[nvml.Memory_v2](t, "memory v2")(dev.GetMemoryInfo_v2()); m.Total != 23034<<20 || m.Used != 1000<<20 {
		t.Errorf("memory v2 %+v", m)
	}
	if v := found[uint32](t, "temperature")(dev.GetTemperature(nvml.TEMPERATURE_GPU)); v != 88 {
		t.Errorf("temperature %d", v)
	}
	if v := found[uint32](t, "slowdown")(dev.GetTemperatureThreshold(nvml.TEMPERATURE_THRESHOLD_SLOWDOWN)); v != 96 {
		t.Errorf("slowdown at %d", v)
	}
	v := found[uint64](t, "throttle")(dev.GetCurrentClocksThrottleReasons())
	if v != nvml.ClocksThrottleReasonHwThermalSlowdown {
		t.Errorf("throttled for %x", v)
	}
	if v := found[nvml.Utilization](t, "utilization")(dev.GetUtilizationRates()); v.Gpu != 71 {
		t.Errorf("utilization %+v", v)
	}
	if v, _, ret := dev.GetEncoderUtilization(); v != 35 || ret != nvml.SUCCESS {
		t.Errorf("encoder utilization %d, %v", v, ret)
	}
	if n, _, _, ret := dev.GetEncoderStats(); n != 2 || ret != nvml.SUCCESS {
		t.Errorf("encoder sessions %d, %v", n, ret)
	}
	if v := found[uint64](t, "ECC")(dev.GetTotalEccErrors(nvml.MEMORY_ERROR_TYPE_UNCORRECTED, nvml.VOLATILE_ECC)); v != 3 {
		t.Errorf("ECC errors %d", v)
	}
	if major, minor, ret := dev.GetCudaComputeCapability(); major != 8 || minor != 9 || ret != nvml.SUCCESS {
		t.Errorf("compute %d.%d, %v", major, minor, ret)
	}
	users := found[[]nvml.ProcessInfo](t, "processes")(dev.GetComputeRunningProcesses())
	if len(users) != 2 || users[0].Pid != 4711 || users[0].UsedGpuMemory != 600<<20 {
		t.Errorf("processes %+v", users)
	}
	if name := found[string](t, "process name")(lib.SystemGetProcessName(4712)); name != "/usr/bin/Xorg" {
		t.Errorf("process is %q", name)
	}
	divided := found[nvml.Device](t, "handle")(lib.DeviceGetHandleByIndex(1))
	if now, _, ret := divided.GetMigMode(); now != nvml.DEVICE_MIG_ENABLE || ret != nvml.SUCCESS {
		t.Errorf("MIG %d, %v", now, ret)
	}
	if _, ret := divided.GetEncoderCapacity(nvml.ENCODER_QUERY_H264); ret != nvml.ERROR_NOT_SUPPORTED {
		t.Errorf("an encoder in a divided GPU: %v", ret)
	}
	d.Set("device1.lost", "1")
	if _, ret := dev.GetName(); ret != nvml.ERROR_GPU_IS_LOST {
		t.Errorf("a lost device answers %v", ret)
	}
}

func TestNVMLEvents(t *testing.T) {
	d := fakegpu.Load(t)
	d.Script("device0.xid=13")
	lib := nvml.New()
	if ret := lib.Init(); ret != nvml.SUCCESS {
		t.Fatal(ret)
	}
	defer lib.Shutdown()
	dev := found[nvml.Device](t, "handle")(lib.DeviceGetHandleByIndex(0))
	set := found[nvml.EventSet](t, "set")(lib.EventSetCreate())
	defer set.Free()
	if ret := dev.RegisterEvents(nvml.EventTypeXidCriticalError, set); ret != nvml.SUCCESS {
		t.Fatal(ret)
	}
	if _, ret := set.Wait(10); ret != nvml.ERROR_TIMEOUT {
		t.Errorf("an event of before: %v", ret)
	}
	for _, line := range []string{"79", "79/2"} {
		d.Set("device0.xid", line)
		if e := found[nvml.EventData](t, "event")(set.Wait(60000)); e.EventData != 79 ||
			e.EventType != nvml.EventTypeXidCriticalError || e.Device != dev {
			t.Errorf("event %+v", e)
		}
	}
}

func TestNVMLHangs(t *testing.T) {
	d := fakegpu.Load(t)
	lib := nvml.New()
	if ret := lib.Init(); ret != nvml.SUCCESS {
		t.Fatal(ret)
	}
	defer lib.Shutdown()
	hangs := d.Counts(0).Hangs
	d.Set("nvml.hang", "1")
	answered := make(chan nvml.Return)
	go func() {
		_, ret := lib.DeviceGetCount()
		answered <- ret
	}()
	d.Await(t, 0, "NVML to hang", func(c fakegpu.Counts) bool { return c.Hangs > hangs })
	select {
	case ret := <-answered:
		t.Errorf("answered %v while it hung", ret)
	default:
		d.Unset("nvml.hang")
		if ret := <-answered; ret != nvml.SUCCESS {
			t.Error(ret)
		}
	}
}

func TestNVMLSeesProcesses(t *testing.T) {
	d := fakegpu.Load(t)
	d.Script("nvml.init=9")
	lib := nvml.New()
	if ret := lib.Init(); ret != nvml.ERROR_DRIVER_NOT_LOADED {
		t.Errorf("init says %v", ret)
	}
	d.Script("device0.hang=encode")
	hangs := d.Counts(0).Hangs
	if ret := lib.Init(); ret != nvml.SUCCESS {
		t.Fatal(ret)
	}
	defer lib.Shutdown()
	dev := found[nvml.Device](t, "handle")(lib.DeviceGetHandleByIndex(0))
	cmd := machine{d, ""}.command(t, "ffmpeg", "-nostdin", "-y", "-init_hw_device", "cuda=g:0", "-filter_hw_device", "g",
		"-f", "lavfi", "-i", "testsrc2=s=320x240:d=1", "-vf", "format=nv12,hwupload",
		"-c:v", "h264_nvenc", "-f", "null", "-")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	d.Await(t, 0, "the encoder's hang", func(c fakegpu.Counts) bool { return c.Hangs > hangs })
	users := found[[]nvml.ProcessInfo](t, "processes")(dev.GetComputeRunningProcesses())
	if !slices.ContainsFunc(users,
		func(p nvml.ProcessInfo) bool { return int(p.Pid) == cmd.Process.Pid && p.UsedGpuMemory >= 160<<20 }) ||
		int(users[0].Pid) == os.Getpid() {
		t.Errorf("processes %+v, want %d", users, cmd.Process.Pid)
	}
	sessions := found[[]nvml.EncoderSessionInfo](t, "sessions")(dev.GetEncoderSessions())
	if len(sessions) != 1 || int(sessions[0].Pid) != cmd.Process.Pid {
		t.Errorf("encoder sessions %+v", sessions)
	}
	d.Unset("device0.hang")
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if m := found[nvml.Memory](t, "memory")(dev.GetMemoryInfo()); m.Used != 0 {
		t.Errorf("%d bytes in use without a process", m.Used)
	}
}
