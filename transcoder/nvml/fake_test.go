package nvml_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
	"github.com/NVIDIA/go-nvml/pkg/nvml/mock"

	ours "github.com/tuttinode/tutti/transcoder/nvml"
)

// card is a device of the pretended driver. Calls that it does not set panic, which
// is what a call of a function that a driver lacks comes to.
type card struct{ *mock.Device }

const gib = 1 << 30

// plainCard answers everything.
func plainCard(uuid string, bus uint32) *card {
	d := &mock.Device{
		GetUUIDFunc:    func() (string, nvml.Return) { return uuid, nvml.SUCCESS },
		GetNameFunc:    func() (string, nvml.Return) { return "NVIDIA L4", nvml.SUCCESS },
		GetPciInfoFunc: func() (nvml.PciInfo, nvml.Return) { return nvml.PciInfo{Bus: bus}, nvml.SUCCESS },
		GetMemoryInfoFunc: func() (nvml.Memory,
			nvml.Return) {
			return nvml.Memory{Total: 24 * gib, Used: 2 * gib}, nvml.SUCCESS
		},
		GetMemoryInfo_v2Func: func() (nvml.Memory_v2,
			nvml.Return) {
			return nvml.Memory_v2{Total: 24 * gib, Used: gib}, nvml.SUCCESS
		},
		GetCudaComputeCapabilityFunc: func() (int, int, nvml.Return) { return 8, 9, nvml.SUCCESS },
		GetMigModeFunc:               func() (int, int, nvml.Return) { return 0, 0, nvml.ERROR_NOT_SUPPORTED },
		GetEncoderCapacityFunc:       func(nvml.EncoderType) (int, nvml.Return) { return 0, nvml.SUCCESS },
		GetUtilizationRatesFunc: func() (nvml.Utilization, nvml.Return) {
			return nvml.Utilization{Gpu: 33},
				nvml.SUCCESS
		},
		GetEncoderUtilizationFunc:   func() (uint32, uint32, nvml.Return) { return 150, 0, nvml.SUCCESS },
		GetDecoderUtilizationFunc:   func() (uint32, uint32, nvml.Return) { return 7, 0, nvml.SUCCESS },
		GetEncoderStatsFunc:         func() (int, uint32, uint32, nvml.Return) { return 4, 0, 0, nvml.SUCCESS },
		GetTemperatureFunc:          func(nvml.TemperatureSensors) (uint32, nvml.Return) { return 55, nvml.SUCCESS },
		GetTemperatureThresholdFunc: func(nvml.TemperatureThresholds) (uint32, nvml.Return) { return 96, nvml.SUCCESS },
		GetCurrentClocksThrottleReasonsFunc: func() (uint64, nvml.Return) {
			return nvml.ClocksThrottleReasonGpuIdle, nvml.SUCCESS
		},
		GetTotalEccErrorsFunc: func(nvml.MemoryErrorType, nvml.EccCounterType) (uint64, nvml.Return) {
			return 0,
				nvml.SUCCESS
		},
		GetComputeRunningProcessesFunc: func() ([]nvml.ProcessInfo, nvml.Return) {
			return []nvml.ProcessInfo{{Pid: 5, UsedGpuMemory: 1}, {Pid: 7, UsedGpuMemory: gib},
				{Pid: 6, UsedGpuMemory: 1<<64 - 1}}, nvml.SUCCESS
		},
		GetGraphicsRunningProcessesFunc: func() ([]nvml.ProcessInfo, nvml.Return) {
			return []nvml.ProcessInfo{{Pid: 5, UsedGpuMemory: 3}}, nvml.SUCCESS
		},
		RegisterEventsFunc: func(uint64, nvml.EventSet) nvml.Return { return nvml.SUCCESS },
	}
	return &card{d}
}

// fake is a driver with GPUs.
type fake struct {
	*mock.Interface
	cards []*card
	// only are the functions that the library has, all when nil.
	only []string
	// events are told one by one.
	events []nvml.EventData
	closed bool
}

func newFake(cards ...*card) *fake {
	f := &fake{cards: cards}
	set := &mock.EventSet{
		WaitFunc: func(timeoutms uint32) (nvml.EventData, nvml.Return) {
			if len(f.events) == 0 {
				return nvml.EventData{}, nvml.ERROR_TIMEOUT
			}
			e := f.events[0]
			f.events = f.events[1:]
			return e, nvml.SUCCESS
		},
		FreeFunc: func() nvml.Return { return nvml.SUCCESS },
	}
	f.Interface = &mock.Interface{
		InitFunc: func() nvml.Return { return nvml.SUCCESS },
		ShutdownFunc: func() nvml.Return {
			f.closed = true
			return nvml.SUCCESS
		},
		ExtensionsFunc: func() nvml.ExtendedInterface {
			return &mock.ExtendedInterface{LookupSymbolFunc: func(name string) error {
				if f.only != nil && !slices.Contains(f.only, name) {
					return errors.New("no such symbol")
				}
				return nil
			}}
		},
		SystemGetDriverVersionFunc:        func() (string, nvml.Return) { return "550.54.15", nvml.SUCCESS },
		SystemGetCudaDriverVersion_v2Func: func() (int, nvml.Return) { return 12040, nvml.SUCCESS },
		SystemGetProcessNameFunc:          func(int) (string, nvml.Return) { return "/usr/bin/python3\x00", nvml.SUCCESS },
		DeviceGetCountFunc:                func() (int, nvml.Return) { return len(f.cards), nvml.SUCCESS },
		DeviceGetHandleByIndexFunc: func(i int) (nvml.Device, nvml.Return) {
			if f.cards[i] == nil {
				return nil, nvml.ERROR_GPU_IS_LOST
			}
			return f.cards[i], nvml.SUCCESS
		},
		EventSetCreateFunc: func() (nvml.EventSet, nvml.Return) { return set, nvml.SUCCESS },
	}
	return f
}

// opened is a reader of the fake.
func opened(t *testing.T, f *fake) *ours.Reader {
	t.Helper()
	r, problem := ours.OpenWith(f)
	if problem != nil {
		t.Fatalf("%+v", problem)
	}
	return r
}
