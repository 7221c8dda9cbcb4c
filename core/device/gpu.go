package device

import (
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// UUID names a GPU for good, as the driver writes it: "GPU-…", or "MIG-…" for a
// part of one. Indices may change with a restart of the machine, it does not.
type UUID string

// Bytes is an amount of device memory.
type Bytes int64

// Percent is a load from 0 to 100.
type Percent int

// GPU is a GPU as it was found.
type GPU struct {
	// Index is the operator's: the position in order of PCI bus ids, as nvidia-smi and
	// CUDA with CUDA_DEVICE_ORDER=PCI_BUS_ID count.
	Index int
	UUID  UUID
	// PCI is the bus id, "0000:3b:00.0".
	PCI  string
	Name string
	// Memory is all that there is.
	Memory Bytes
	// Compute is the compute capability, major × 10 + minor.
	Compute int
	// Encodes says that the GPU has encoder units, as far as the driver tells: H100,
	// A100 and their like have none.
	Encodes bool
	// MIG says that the GPU is divided into instances, which cannot transcode.
	MIG bool
}

// Driver is what the driver says of itself.
type Driver struct {
	// Version is the driver's, "550.54.15"; CUDA the newest CUDA that it knows, "12.4".
	Version, CUDA string
}

// Sample is what a GPU did at one time. Fields that the driver does not tell are 0.
type Sample struct {
	At time.Time
	// Used is memory in use by all processes, Foreign the part of processes that are not
	// this node's.
	Used, Foreign Bytes
	// GPU, Encoder and Decoder are the loads of its units.
	GPU, Encoder, Decoder Percent
	// EncoderSessions counts the encoders that are open, of any process.
	EncoderSessions int
	// Temperature is in degrees Celsius; SlowdownAt is where the GPU slows itself down.
	Temperature, SlowdownAt int
	// Throttled says why the GPU runs slower than it could, "" when it does not:
	// one of ByTemperature and its kin.
	Throttled string
	// Uncorrected counts memory errors that were not corrected since the last reset.
	Uncorrected int64
	// XID is the number of the last critical error that the driver reported since the
	// node began, 0 for none; XIDAt is when.
	XID   int
	XIDAt time.Time
	// Processes use the GPU besides this node, largest first, at most 16.
	Processes []Process
}

// Process is another user of a GPU.
type Process struct {
	PID  int
	Name string
	Used Bytes
}

// Inventory is the GPUs that the operator asked for.
type Inventory interface {
	// Devices are those that are there, in order of Index. Err says why some or all
	// are not: NoDevices and its kin, nil when all are.
	Devices() []GPU
	Err() *fault.Fault
	Driver() Driver
	// Sample is the latest of a device; false when there is none, or it is old.
	Sample(UUID) (Sample, bool)
}

// Why a GPU runs slower than it could, Sample.Throttled.
const (
	ByTemperature = "temperature"
	ByPower       = "power"
	ByPowerBrake  = "power brake"
	// ByHardware is a slowdown whose reason the GPU does not tell apart: heat or
	// power.
	ByHardware = "hardware slowdown"
)
