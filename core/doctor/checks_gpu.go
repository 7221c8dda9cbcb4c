package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
)

// gpuMemoryFree is how much free memory a media worker needs on a GPU.
const gpuMemoryFree = 1 << 30

func gpuChecks() []Check {
	check := func(name, title string, fails, warns []fault.Code, evidence func(GPUs) string) Check {
		return Check{Name: name, Group: GroupGPU, Title: title, Fails: fails, Warns: warns,
			run: gpuCheck(func(_ *World, g GPUs) Observation {
				return withEvidence(g.Findings, evidence(g))
			})}
	}
	return []Check{
		check("gpu.devices", "the GPUs that were asked for are there",
			codes(fault.NoDevices, fault.GPUIndexUnknown, fault.GPUUnavailable),
			codes(fault.GPUIsMIG, fault.GPUNotReady, fault.GPUWatchFailed), gpuNames),
		check("gpu.driver", "the driver is loaded and new enough",
			codes(fault.DriverTooOld, fault.GPUDriverNotLoaded, fault.GPUDriverMismatch, fault.GPUNoPermission), nil,
			func(g GPUs) string { return "driver " + g.Driver }),
		check("gpu.cuda", "the driver's libraries can be opened", codes(fault.CUDALibrary), nil,
			func(GPUs) string { return "libcuda and libnvidia-ml are there" }),
		check("gpu.container", "a container has been given its GPUs", codes(fault.GPUToolkitMissing), nil,
			func(g GPUs) string { return plural(len(g.Devices), "device") }),
		{
			Name: "gpu.encoder", Group: GroupGPU, Title: "GPUs encode in hardware", run: gpuCheck(checkEncoders),
			Warns: codes(fault.GPUEncoderMissing),
		},
		{
			Name: "gpu.memory", Group: GroupGPU, Title: "GPUs have memory left", run: gpuCheck(checkGPUMemory),
			Fails: codes(fault.GPUOutOfMemory), Warns: codes(fault.GPUMemoryTaken),
		},
		{
			Name: "gpu.health", Group: GroupGPU, Title: "GPUs are cool and without errors",
			run:   gpuCheck(checkGPUHealth),
			Fails: codes(fault.GPUFault, fault.GPUMemoryErrors), Warns: codes(fault.GPUThrottled),
		},
	}
}

func gpuCheck(check func(*World, GPUs) Observation) func(context.Context, *World) Observation {
	return skipUnless(func(s *Setup) bool { return s.GPUs != "" }, "no -gpu: the CPU transcodes",
		probeCheck(func(w *World) Probe[GPUs] { return w.GPUs }, func(w *World, g GPUs) Observation {
			s := check(w, g)
			if len(g.Devices) == 0 && len(s.Findings) == 0 {
				return skip("no GPU was found")
			}
			return s
		}))
}

func gpuNames(g GPUs) string {
	var names []string
	for _, c := range g.Devices {
		names = append(names, c.ID+" "+c.Name)
	}
	return strings.Join(names, ", ")
}

func checkEncoders(_ *World, g GPUs) Observation {
	s := withEvidence(nil, fmt.Sprintf("%s with encoders", plural(len(g.Devices), "GPU")))
	for _, c := range g.Devices {
		if !c.Encodes {
			s.Evidence = "GPU " + c.ID + " (" + c.Name + ") has no encoder by design; the CPU encodes"
		}
	}
	s.Findings = g.Findings
	return s
}

func checkGPUMemory(_ *World, g GPUs) Observation {
	var s Observation
	var seen []string
	for _, c := range g.Devices {
		left := c.Memory - c.Foreign
		text := fmt.Sprintf("GPU %s: %s of %s left by others", c.ID, bytesText(left), bytesText(c.Memory))
		seen = append(seen, text)
		switch {
		case c.Memory > 0 && left < gpuMemoryFree/4:
			s.Findings = append(s.Findings, Finding{Code: fault.GPUOutOfMemory, Detail: text})
		case c.Memory > 0 && left < gpuMemoryFree:
			s.Findings = append(s.Findings, Finding{Code: fault.GPUMemoryTaken, Detail: text})
		}
	}
	s.Evidence = strings.Join(seen, ", ")
	return s
}

func checkGPUHealth(_ *World, g GPUs) Observation {
	s := withEvidence(g.Findings, "")
	var seen []string
	for _, c := range g.Devices {
		seen = append(seen, fmt.Sprintf("GPU %s: %d °C", c.ID, c.Temperature))
		if c.Throttled != "" {
			s.Findings = append(s.Findings, Finding{Code: fault.GPUThrottled, Detail: "GPU " + c.ID +
				" is slowed down: " + c.Throttled})
		}
		if c.Uncorrected > 0 {
			s.Findings = append(s.Findings, Finding{Code: fault.GPUMemoryErrors,
				Detail: fmt.Sprintf("GPU %s: %d memory errors", c.ID, c.Uncorrected)})
		}
	}
	s.Evidence = strings.Join(seen, ", ")
	return s
}
