package worker

import (
	"log/slog"
	"runtime"
	"time"

	"github.com/tuttinode/tutti/core"
)

// Options say which child a Client runs and how.
type Options struct {
	// Device names the device, "cpu" or a GPU's index. It reaches the child as
	// the environment variable EnvDevice.
	Device string
	// GPU says that the device has a driver of its own: more descriptors, its
	// device nodes, and no limit on reserved memory.
	GPU bool
	// UUID names the GPU as the driver does; the child sees no other. "" takes
	// Device for its index in order of PCI bus ids.
	UUID string
	// Path and Args are the child's program and arguments (without the program's
	// name). Path "" is this program itself.
	Path string
	Args []string
	// Env is added to the child's environment, which is otherwise empty but for
	// what the media libraries need.
	Env []string
	// Memory is how much the child may use, in bytes; above it the child is
	// replaced. 0 is no limit.
	Memory int64
	// IdleMemory is what a child that has had nothing to do for half a minute may
	// keep, in bytes; above it the child is exchanged for a fresh one. 0 is
	// DefaultIdleMemory, or GPUIdleMemory for a GPU.
	IdleMemory int64
	// Cores is how many CPU cores the child may count on; 0 is all of the
	// machine's. Children that share a machine's work share its cores.
	Cores int
	// Cache is a private folder of the node, made if need be, in which the driver of a
	// GPU keeps what it compiled: each GPU has a part of its own. "" keeps it in a
	// temporary folder until Close.
	Cache string
	// Log receives what the child does and says; nil drops it.
	Log *slog.Logger
	// Recorder counts replacements; nil ignores them.
	Recorder core.Recorder

	times times
	// compiled is the GPU's part of Cache, "" for none.
	compiled string
	// results bounds the memory for the renditions of all children of the device.
	results *results
}

// DefaultIdleMemory is what an idle child keeps at most, in bytes.
const DefaultIdleMemory = 128 << 20

// GPUIdleMemory is the same for the child of a GPU, in which the driver has its
// own part from the start.
const GPUIdleMemory = 1 << 30

// times are the clocks of supervision; tests shorten them.
type times struct {
	// heartbeat is the time between two signs of life.
	heartbeat time.Duration
	// silence is how many heartbeats a stopped process may miss; starved is the same
	// for a process that gets no CPU time.
	silence, starved int
	// start is how long a child may take until it is ready.
	start time.Duration
	// idle is how long a child may be idle before replaceIdle checks its memory.
	idle time.Duration
	// stuck is how long a child may take to end an abandoned request.
	stuck time.Duration
	// stop is how long Close waits for a killed child to be gone.
	stop time.Duration
}

// cores returns how many the child takes for its own, see Cores.
func (o Options) cores() int {
	if o.Cores < 1 {
		return runtime.NumCPU()
	}
	return min(o.Cores, runtime.NumCPU())
}

func (o Options) withDefaults() Options {
	if o.Path == "" {
		o.Path = self()
	}
	start := 30 * time.Second
	if o.IdleMemory == 0 {
		o.IdleMemory = DefaultIdleMemory
	}
	if o.GPU {
		o.IdleMemory = max(o.IdleMemory, GPUIdleMemory)
		// Without a persistence daemon the driver wakes every GPU of the machine first.
		start = time.Minute
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Recorder == nil {
		o.Recorder = core.NopRecorder{}
	}
	if o.results == nil {
		o.results = newResults(o.Memory)
	}
	if o.times == (times{}) {
		o.times = times{
			heartbeat: 200 * time.Millisecond, silence: 5, starved: 40,
			start: start, idle: 30 * time.Second, stuck: 10 * time.Second, stop: 5 * time.Second,
		}
	}
	return o
}
