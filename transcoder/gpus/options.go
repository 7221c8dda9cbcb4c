package gpus

import (
	"log/slog"
	"time"

	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/health"
)

// Options say what to watch and how.
type Options struct {
	// Selection is what the operator asked for. Without any nothing is watched.
	Selection device.Selection
	// Path is the program that watches the driver, this one when empty, Args
	// its arguments; none are "gpu-watch". Env is added to its environment, which has
	// nothing of the node's but what the driver reads.
	Path string
	Args []string
	Env  []string
	// Root is where the machine's files are, "/" when empty: /sys, /proc, /dev.
	Root string
	// Allowed is how much of a GPU's memory programs that are no media workers may
	// use, such as AI models in containers; nil is none.
	Allowed func(device.UUID) device.Bytes
	// Board shows lasting problems; nil shows none.
	Board *health.Board
	Log   *slog.Logger
	Now   func() time.Time
	// First is the time for the first report of a process, which wakes GPUs that
	// sleep, Silence the time for each further one; Retry the pause before it is
	// looked again for what is missing, and the longest after a process that failed; Ready the time after which the node
	// goes on
	// without a report.
	First, Silence, Retry, Ready time.Duration
}

func (o Options) withDefaults() Options {
	if o.Path == "" {
		o.Path = self()
	}
	if o.Args == nil {
		o.Args = []string{Command}
	}
	if o.Root == "" {
		o.Root = "/"
	}
	if o.Allowed == nil {
		o.Allowed = func(device.UUID) device.Bytes { return 0 }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	for _, d := range []struct {
		of   *time.Duration
		less time.Duration
	}{{&o.First, 30 * time.Second}, {&o.Silence, 5 * time.Second}, {&o.Retry, 10 * time.Second}, {&o.Ready,
		10 * time.Second}} {
		if *d.of <= 0 {
			*d.of = d.less
		}
	}
	return o
}

// Command is the hidden command of tutti that watches the driver.
const Command = "gpu-watch"

// grace is how long a process that was killed may take to end. One that the driver
// holds in the kernel takes longer, and none is started alongside it.
const grace = 2 * time.Second
