//go:build !windows

package nvml

import (
	"slices"
	"strings"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/tuttinode/tutti/transcoder/gpus"
)

// Reader asks an initialized library. It is for one goroutine.
type Reader struct {
	lib nvml.Interface
	// has are the optional functions that the library has.
	has     map[string]bool
	driver  driver
	devices []*nvmlDevice
	// unreadable are the devices that gave no handle.
	unreadable []gpus.Unreadable
	// events tells of critical errors, nil without.
	events nvml.EventSet
}

// Open loads and initializes the library. The problem says why it cannot be used.
func Open() (*Reader, *gpus.Problem) { return open(nvml.New()) }

func open(lib nvml.Interface) (*Reader, *gpus.Problem) {
	if ret := lib.Init(); ret != nvml.SUCCESS {
		// Nothing of the library may be called now, its error texts included.
		return nil, problem(ret)
	}
	r := &Reader{lib: lib, has: make(map[string]bool)}
	if missing := r.look(); len(missing) > 0 {
		return nil, &gpus.Problem{Kind: gpus.OldLibrary, Detail: "without " + strings.Join(missing, ", ")}
	}
	r.driver = r.readDriver()
	if ret := r.find(); ret != nvml.SUCCESS {
		t := problem(ret)
		r.Close()
		return nil, t
	}
	r.listen()
	return r, nil
}

// Close gives the library back.
func (r *Reader) Close() {
	if r.events != nil {
		r.events.Free()
	}
	if r.has["nvmlShutdown"] {
		r.lib.Shutdown()
	}
}

// needed are functions without which there is nothing to tell: one of each line.
func needed() [][]string {
	return [][]string{
		{"nvmlSystemGetDriverVersion"},
		{"nvmlDeviceGetCount_v2", "nvmlDeviceGetCount"},
		{"nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex"},
		{"nvmlDeviceGetUUID"},
		{"nvmlDeviceGetName"},
		{"nvmlDeviceGetPciInfo_v3", "nvmlDeviceGetPciInfo_v2", "nvmlDeviceGetPciInfo"},
		{"nvmlDeviceGetMemoryInfo"},
	}
}

// optional are functions that some drivers lack. The first of a line is the name in
// has; the others do as well.
func optional() [][]string {
	return [][]string{
		{"nvmlShutdown"},
		{"nvmlSystemGetCudaDriverVersion_v2"},
		{"nvmlSystemGetProcessName"},
		{"nvmlDeviceGetMemoryInfo_v2"},
		{"nvmlDeviceGetCudaComputeCapability"},
		{"nvmlDeviceGetMigMode"},
		{"nvmlDeviceGetUtilizationRates"},
		{"nvmlDeviceGetEncoderCapacity"},
		{"nvmlDeviceGetEncoderUtilization"},
		{"nvmlDeviceGetDecoderUtilization"},
		{"nvmlDeviceGetEncoderStats"},
		{"nvmlDeviceGetTemperature"},
		{"nvmlDeviceGetTemperatureThreshold"},
		{"nvmlDeviceGetCurrentClocksThrottleReasons"},
		{"nvmlDeviceGetTotalEccErrors"},
		{"nvmlDeviceGetComputeRunningProcesses", "nvmlDeviceGetComputeRunningProcesses_v2",
			"nvmlDeviceGetComputeRunningProcesses_v3"},
		{"nvmlDeviceGetGraphicsRunningProcesses", "nvmlDeviceGetGraphicsRunningProcesses_v2",
			"nvmlDeviceGetGraphicsRunningProcesses_v3"},
		{"nvmlEventSetCreate"},
		{"nvmlEventSetFree"},
		{"nvmlDeviceRegisterEvents"},
		{"nvmlEventSetWait", "nvmlEventSetWait_v2"},
	}
}

// look finds out what the library has, and returns what it must have and has not.
func (r *Reader) look() (missing []string) {
	found := func(names []string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return r.lib.Extensions().LookupSymbol(n) == nil })
	}
	for _, names := range needed() {
		if !found(names) {
			missing = append(missing, names[0])
		}
	}
	for _, names := range optional() {
		r.has[names[0]] = found(names)
	}
	return missing
}
