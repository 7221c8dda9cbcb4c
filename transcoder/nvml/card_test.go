package nvml_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/tuttinode/tutti/core/device"
	kit "github.com/tuttinode/tutti/test/gpu/card"
	ours "github.com/tuttinode/tutti/transcoder/nvml"
)

// TestCardManagementLibrary asks the driver's management library in this process, and
// records all that it says of the GPU.
func TestCardManagementLibrary(t *testing.T) {
	c := kit.Load(t)
	begin := time.Now()
	r, problem := ours.Open()
	if problem != nil {
		kit.CheckThat(t, false, "NVML opens", "no error", fmt.Sprintf("%s %s", problem.Kind, problem.Detail), "")
		return
	}
	defer r.Close()
	kit.CheckThat(t, true, "NVML opens", "no error", "done", fmt.Sprintf("%.0f ms", 1000*time.Since(begin).Seconds()))
	functions := r.Functions()
	var missing []string
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		if !functions[name] {
			missing = append(missing, name)
		}
	}
	kit.RecordCheck(t, "functions of NVML that this driver lacks",
		fmt.Sprintf("%d of %d: %s", len(missing), len(functions), strings.Join(missing, " ")), "")
	begin = time.Now()
	l := r.Read(time.Now())
	kit.RecordCheck(t, "one reading of all GPUs", fmt.Sprintf("%d GPUs", len(l.Devices)),
		fmt.Sprintf("%.1f ms", 1000*time.Since(begin).Seconds()))
	kit.CheckThat(t, l.Driver.Version != "" && l.Driver.CUDA != "", "driver and CUDA versions", "both are known",
		fmt.Sprintf("%+v", l.Driver), "")
	kit.CheckThat(t, len(l.Unreadable) == 0, "GPUs that cannot be read", "none", fmt.Sprintf("%+v", l.Unreadable), "")
	for _, d := range l.Devices {
		describe(t, d.Device, d.Sample)
		if d.Device.PCI == c.PCI || len(l.Devices) == 1 {
			kit.CheckThat(t, d.Device.Encodes == c.Encodes, "NVML and tutti gpu list agree on the encoder",
				fmt.Sprint(c.Encodes), fmt.Sprint(d.Device.Encodes), "")
		}
	}
	kit.CheckThat(t, len(l.Devices) > 0, "GPUs found", "at least one", fmt.Sprint(len(l.Devices)), "")
	if c.Real() {
		raw(t)
	}
}

func describe(t *testing.T, d device.GPU, s device.Sample) {
	t.Helper()
	name := fmt.Sprintf("GPU %d (%s)", d.Index, d.Name)
	kit.CheckThat(t, d.Memory > 0 && d.Compute >= 30 && d.PCI != "" && strings.HasPrefix(string(d.UUID), "GPU-"),
		name+" is described",
		"UUID, PCI address, memory and compute capability", fmt.Sprintf("%+v", d), fmt.Sprintf("%d MiB", d.Memory>>20))
	if s.Temperature == 0 {
		kit.SkipCheck(t, name+" has a temperature", "the driver reports none, as in some virtual machines")
	} else {
		degrees := fmt.Sprintf("%d °C", s.Temperature)
		kit.CheckThat(t, s.Temperature > 0 && s.Temperature < 110, name+" has a temperature", "1 to 109 °C", degrees,
			degrees)
	}
	kit.CheckThat(t, s.Used >= 0 && s.Used <= d.Memory, name+" has memory in use", "no more than there is",
		fmt.Sprintf("%d MiB", s.Used>>20), fmt.Sprintf("%d MiB", s.Used>>20))
	kit.RecordCheck(t, name+" at rest", fmt.Sprintf("%+v", s), "")
	kit.RecordCheck(t, name+" is divided by MIG", fmt.Sprint(d.MIG), "")
}

// raw records what the node does not read, straight from the library.
func raw(t *testing.T) {
	t.Helper()
	lib := nvml.New()
	if ret := lib.Init(); ret != nvml.SUCCESS {
		kit.NoError(t, ret, "NVML opens a second time", "")
		return
	}
	defer lib.Shutdown()
	d, ret := lib.DeviceGetHandleByIndex(0)
	if ret != nvml.SUCCESS {
		kit.NoError(t, ret, "NVML gives the first GPU", "")
		return
	}
	record := func(symbol, what string, ask func() (string, nvml.Return)) {
		if lib.Extensions().LookupSymbol(symbol) != nil {
			kit.SkipCheck(t, what, "this driver has no "+symbol)
			return
		}
		text, ret := ask()
		if ret != nvml.SUCCESS {
			text = ret.Error()
		}
		kit.RecordCheck(t, what, text, "")
	}
	record("nvmlDeviceGetEncoderCapacity", "encoder capacity for H.264, HEVC and AV1 (NVML)",
		func() (string, nvml.Return) { return capacities(d) })
	record("nvmlDeviceGetEccMode", "ECC mode, now and after a restart (NVML)", func() (string, nvml.Return) {
		now, next, ret := d.GetEccMode()
		return fmt.Sprint(now, " ", next), ret
	})
	record("nvmlDeviceGetPersistenceMode", "persistence mode (NVML)", func() (string, nvml.Return) {
		mode, ret := d.GetPersistenceMode()
		return fmt.Sprint(mode), ret
	})
	record("nvmlDeviceGetCurrPcieLinkWidth", "PCI Express lanes (NVML)", func() (string, nvml.Return) {
		width, ret := d.GetCurrPcieLinkWidth()
		return fmt.Sprint(width), ret
	})
	record("nvmlDeviceGetPowerUsage", "power at rest in mW (NVML)", func() (string, nvml.Return) {
		power, ret := d.GetPowerUsage()
		return fmt.Sprint(power), ret
	})
	record("nvmlDeviceGetComputeMode", "compute mode (NVML)", func() (string, nvml.Return) {
		mode, ret := d.GetComputeMode()
		return fmt.Sprint(mode), ret
	})
}

// capacities are percentages, or why there is none: that decides whether a GPU counts
// as one with an encoder.
func capacities(d nvml.Device) (string, nvml.Return) {
	var all []string
	for _, kind := range []nvml.EncoderType{nvml.ENCODER_QUERY_H264, nvml.ENCODER_QUERY_HEVC, nvml.ENCODER_QUERY_AV1} {
		n, ret := d.GetEncoderCapacity(kind)
		if ret != nvml.SUCCESS {
			all = append(all, ret.Error())
			continue
		}
		all = append(all, fmt.Sprint(n))
	}
	return strings.Join(all, ", "), nvml.SUCCESS
}
