package process

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

const (
	// fewFiles is a limit at which a node has too few descriptors for usual work.
	fewFiles = 1024
	// baseFiles are kept for databases, workers, endpoints of the chain and the admin API,
	// and one more of so many descriptors.
	baseFiles, reservedOf = 128, 8
	// countEvery is how often the descriptors in use are counted, refusedFor how long a
	// connection that found none counts.
	countEvery, refusedFor = 5 * time.Second, time.Minute
)

// Descriptors are the open files that the process may have: they bound the listeners'
// connections, and want of them is a condition. The runtime has raised the limit to the
// hard one at the start.
type Descriptors struct {
	board *health.Board
	now   func() time.Time
	// limit is 0 where the system has none.
	limit int
	// last is when a connection found no descriptor, since began, in nanoseconds, 0 for never; wake
	// has one element when that is new.
	began time.Time
	last  atomic.Int64
	wake  chan struct{}
}

// NewDescriptors reads the limit of this process. The caller runs what it returns.
func NewDescriptors(board *health.Board, now func() time.Time) *Descriptors {
	return &Descriptors{board: board, now: now, began: now(), limit: mostFiles(), wake: make(chan struct{}, 1)}
}

// Name returns the component's name.
func (*Descriptors) Name() string { return "descriptors" }

// Run keeps the condition until ctx ends.
func (d *Descriptors) Run(ctx context.Context, ready func()) error {
	ready()
	tick := time.NewTicker(countEvery)
	defer tick.Stop()
	for {
		key := health.Key{Code: fault.DescriptorsLow}
		if why := d.problem(openFiles()); why != "" {
			d.board.Set(key, why)
		} else {
			d.board.Clear(key)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		case <-d.wake:
		}
	}
}

// problem says what is wrong with so many open files, "" for nothing.
func (d *Descriptors) problem(open int) string {
	switch {
	case d.limit == 0:
		return ""
	case d.last.Load() != 0 && d.now().Sub(d.began)-time.Duration(d.last.Load()) < refusedFor:
		return fmt.Sprintf("a connection was refused for want of descriptors; the process may have %d", d.limit)
	case d.limit < fewFiles:
		return fmt.Sprintf("the process may have %d", d.limit)
	case open > d.limit/10*9:
		// Not the number: it would be a change at each look.
		return fmt.Sprintf("more than nine tenths of %d are in use", d.limit)
	}
	return ""
}

// Refused is called by a listener whose connection found no descriptor.
func (d *Descriptors) Refused(error) {
	d.last.Store(max(1, int64(d.now().Sub(d.began))))
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// Connections bounds a public listener: -maxConnections, and no more than the limit of
// descriptors leaves besides what the node needs itself. A gateway needs another one
// toward orchestrators for each client, live runners one toward a runner.
func (d *Descriptors) Connections(cfg *config.Config) int {
	most := cfg.Limits.MaxConnections
	if most == 0 {
		most = math.MaxInt32
	}
	if d.limit == 0 {
		return most
	}
	parts := 0
	if cfg.Roles.Orchestrator || cfg.Roles.Router || cfg.Roles.Redeemer || cfg.Roles.RemoteSigner {
		parts++
	}
	if cfg.LiveAI.Runners() {
		parts++
	}
	if cfg.Roles.Gateway {
		parts += 2
	}
	reserved := min(d.limit/2, baseFiles+d.limit/reservedOf)
	return min(most, (d.limit-reserved)/max(1, parts))
}
