package devices

import (
	"context"
	"log/slog"
	"time"

	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/health"
)

// Options are what a Keeper is built from.
type Options struct {
	Inventory device.Inventory
	// Start starts the media worker of a GPU; the keeper closes it.
	Start func(ctx context.Context, d device.GPU) (Worker, error)
	// Test says whether a GPU's abilities are tried before it is offered; otherwise
	// Base is offered as it is.
	Test bool
	// Base is what every GPU's offer begins with: the node's release, and the
	// capabilities of a GPU that is not tested.
	Base device.Resources
	// Inherited is what the previous process found of the GPUs that it offered: they are
	// not tested again, unless they fail, and Run is ready when they are offered, or
	// after Ready without them. Findings are those of this one.
	Inherited map[device.UUID]Finding
	Ready     time.Duration
	// Adjust changes the offer of a GPU by the operator's wishes; nil changes nothing.
	Adjust func(o device.Resources) device.Resources
	Placer device.Placer
	// Use is how much of a GPU's memory the sessions on it are reckoned to have; nil
	// is none.
	Use func(device string) device.Bytes
	// Budget is shared with the other users of the GPUs' memory; nil shares nothing.
	Budget *device.Budget
	Board  *health.Board
	Log    *slog.Logger

	// Counts is how long a GPU that was counted waits until the others of the start
	// are, before it is offered; the default is half a minute.
	Counts time.Duration
	// Look is how often the inventory is read, Pause and Longest the pauses after a
	// GPU that failed; the defaults are 1 s, 5 s and 5 min, that of Ready 5 s.
	Look, Pause, Longest time.Duration
}

func (o Options) withDefaults() Options {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Adjust == nil {
		o.Adjust = func(offer device.Resources) device.Resources { return offer }
	}
	if o.Use == nil {
		o.Use = func(string) device.Bytes { return 0 }
	}
	if o.Budget == nil {
		o.Budget = device.NewBudget()
	}
	for _, d := range []struct {
		of   *time.Duration
		less time.Duration
	}{
		{&o.Counts, 30 * time.Second}, {&o.Ready, 5 * time.Second}, {&o.Look, time.Second},
		{&o.Pause, 5 * time.Second}, {&o.Longest, 5 * time.Minute},
	} {
		if *d.of <= 0 {
			*d.of = d.less
		}
	}
	return o
}

// Parts of a GPU's memory, in bytes.
const (
	// AtLeast is set aside for transcoding on a GPU before anything was measured: a
	// session of four renditions of 1080p.
	AtLeast = 1 << 30
	// renditions is how many renditions the session has for which capacity is always reserved.
	renditions = 4
)
