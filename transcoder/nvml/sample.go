//go:build !windows

package nvml

import (
	"cmp"
	"math"
	"path"
	"slices"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/transcoder/gpus"
)

// lostXID is the number under which the driver logs that a GPU fell off the bus.
const lostXID = 79

// Read reports the state of now. Readings that the driver does not have are 0.
func (r *Reader) Read(now time.Time) gpus.ReportLine {
	r.readEvent(now)
	l := gpus.ReportLine{Driver: r.driver, Unreadable: r.unreadable}
	for _, d := range r.devices {
		sample, lost := r.sample(d, now)
		l.Devices = append(l.Devices, gpus.ReportEntry{Device: d.about, Sample: sample, Lost: lost})
	}
	return l
}

func (r *Reader) sample(d *nvmlDevice, now time.Time) (s device.Sample, lost bool) {
	s.At = now
	if r.memory(d, &s) == nvml.ERROR_GPU_IS_LOST {
		if d.xid != lostXID {
			d.xid, d.xidAt = lostXID, now
		}
		s.XID, s.XIDAt = d.xid, d.xidAt
		return s, true
	}
	r.loads(d.handle, &s)
	r.condition(d.handle, &s)
	s.Processes = r.processes(d.handle)
	s.XID, s.XIDAt = d.xid, d.xidAt
	d.about.MIG = r.divided(d.handle)
	return s, false
}

// memory returns what is in use, without what the driver keeps for itself where it reports
// that.
func (r *Reader) memory(d *nvmlDevice, s *device.Sample) nvml.Return {
	if r.has["nvmlDeviceGetMemoryInfo_v2"] {
		if m, ret := d.handle.GetMemoryInfo_v2(); ret == nvml.SUCCESS {
			s.Used = device.Bytes(m.Used)
			return ret
		}
	}
	m, ret := d.handle.GetMemoryInfo()
	if ret == nvml.SUCCESS {
		s.Used = device.Bytes(m.Used)
	}
	return ret
}

func (r *Reader) loads(h nvml.Device, s *device.Sample) {
	if r.has["nvmlDeviceGetUtilizationRates"] {
		if u, ret := h.GetUtilizationRates(); ret == nvml.SUCCESS {
			s.GPU = percent(u.Gpu)
		}
	}
	if r.has["nvmlDeviceGetEncoderUtilization"] {
		if n, _, ret := h.GetEncoderUtilization(); ret == nvml.SUCCESS {
			s.Encoder = percent(n)
		}
	}
	if r.has["nvmlDeviceGetDecoderUtilization"] {
		if n, _, ret := h.GetDecoderUtilization(); ret == nvml.SUCCESS {
			s.Decoder = percent(n)
		}
	}
	if r.has["nvmlDeviceGetEncoderStats"] {
		if n, _, _, ret := h.GetEncoderStats(); ret == nvml.SUCCESS && n >= 0 {
			s.EncoderSessions = n
		}
	}
}

func percent(n uint32) device.Percent { return device.Percent(min(n, 100)) }

// condition is the GPU's health.
func (r *Reader) condition(h nvml.Device, s *device.Sample) {
	if r.has["nvmlDeviceGetTemperature"] {
		if n, ret := h.GetTemperature(nvml.TEMPERATURE_GPU); ret == nvml.SUCCESS {
			s.Temperature = degrees(n)
		}
	}
	if r.has["nvmlDeviceGetTemperatureThreshold"] {
		if n, ret := h.GetTemperatureThreshold(nvml.TEMPERATURE_THRESHOLD_SLOWDOWN); ret == nvml.SUCCESS {
			s.SlowdownAt = degrees(n)
		}
	}
	if r.has["nvmlDeviceGetCurrentClocksThrottleReasons"] {
		if reasons, ret := h.GetCurrentClocksThrottleReasons(); ret == nvml.SUCCESS {
			s.Throttled = throttled(reasons)
		}
	}
	if r.has["nvmlDeviceGetTotalEccErrors"] {
		if n, ret := h.GetTotalEccErrors(nvml.MEMORY_ERROR_TYPE_UNCORRECTED, nvml.VOLATILE_ECC); ret == nvml.SUCCESS {
			s.Uncorrected = int64(min(n, math.MaxInt32))
		}
	}
}

// degrees drops what no GPU can have: some write nonsense where they have no sensor.
func degrees(n uint32) int {
	if n > 200 {
		return 0
	}
	return int(n)
}

// throttled names the reason that weighs most. Idle GPUs, settings and the power
// limit at full load are ordinary life; only the last is reported.
func throttled(reasons uint64) string {
	switch {
	case reasons&(nvml.ClocksThrottleReasonSwThermalSlowdown|nvml.ClocksThrottleReasonHwThermalSlowdown) != 0:
		return device.ByTemperature
	case reasons&nvml.ClocksThrottleReasonHwPowerBrakeSlowdown != 0:
		return device.ByPowerBrake
	case reasons&nvml.ClocksThrottleReasonHwSlowdown != 0:
		return device.ByHardware
	case reasons&nvml.ClocksThrottleReasonSwPowerCap != 0:
		return device.ByPower
	}
	return ""
}

// processes returns the largest users, each once.
func (r *Reader) processes(h nvml.Device) []device.Process {
	used := make(map[uint32]device.Bytes)
	add := func(name string, list func() ([]nvml.ProcessInfo, nvml.Return)) {
		if !r.has[name] {
			return
		}
		infos, ret := list()
		if ret != nvml.SUCCESS {
			return
		}
		for _, p := range infos {
			n := device.Bytes(0)
			// All ones: the driver does not tell.
			if p.UsedGpuMemory < 1<<50 {
				n = device.Bytes(p.UsedGpuMemory)
			}
			used[p.Pid] = max(used[p.Pid], n)
		}
	}
	add("nvmlDeviceGetComputeRunningProcesses", h.GetComputeRunningProcesses)
	add("nvmlDeviceGetGraphicsRunningProcesses", h.GetGraphicsRunningProcesses)
	var out []device.Process
	for pid, n := range used {
		out = append(out, device.Process{PID: int(pid), Used: n})
	}
	slices.SortFunc(out, func(a, b device.Process) int {
		return cmp.Or(cmp.Compare(b.Used, a.Used), cmp.Compare(a.PID, b.PID))
	})
	out = out[:min(len(out), gpus.MaxProcesses)]
	for i := range out {
		out[i].Name = r.processName(out[i].PID)
	}
	return out
}

// processName returns the program's name without its directory.
func (r *Reader) processName(pid int) string {
	if !r.has["nvmlSystemGetProcessName"] {
		return ""
	}
	name, ret := r.lib.SystemGetProcessName(pid)
	if ret != nvml.SUCCESS || name == "" {
		return ""
	}
	return gpus.Plain(path.Base(name))
}
