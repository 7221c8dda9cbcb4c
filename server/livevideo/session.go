package livevideo

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/lifecycle"
	"github.com/tuttinode/tutti/server/trickle"
)

// A session's channels are named after it.
const (
	suffixOut     = "-out"
	suffixControl = "-control"
	suffixEvents  = "-events"
	// typeMedia is the type of input and output.
	typeMedia = "video/MP2T"
)

const (
	// watchInterval is how often a session looks whether its runner still reads.
	watchInterval = 250 * time.Millisecond
	// recheckInterval is how often a runner may be probed because it does not.
	recheckInterval = time.Second
	// idleTime is how long a runner is waited for to become idle after its session.
	idleTime = 30 * time.Second
)

// session is one stream at one runner. supervise owns it.
type session struct {
	// id names the channels, so it is a credential.
	id            string
	hub           *trickle.Hub
	input, output *trickle.Channel
	slot          inference.LongSlot
	meter         Meter
	log           *slog.Logger
	// answer is the runner's; the slot is held until it is closed. cancel ends the runner's work where it
	// is in this process.
	answer io.Closer
	cancel context.CancelFunc
}

// shown is the part of the id that may be logged.
func (x *session) shown() string { return x.id[:8] }

// supervise waits until a side or ctx ends the session, and ends it for the others. node is the life of the node.
func (x *session) supervise(node, ctx context.Context) {
	x.log.Info("live video session begins", "session", x.shown())
	why := x.wait(ctx)
	x.log.Info("live video session ended", "session", x.shown(), "reason", why)
	x.closeChannels()
	x.meter.Close()
	idle, cancel := context.WithTimeout(node, idleTime)
	defer cancel()
	x.slot.AwaitIdle(idle)
	x.release()
}

// wait returns why the session ends.
func (x *session) wait(ctx context.Context) string {
	look := time.NewTicker(watchInterval)
	defer look.Stop()
	var w readerWatch
	for {
		select {
		case <-x.input.Done():
			return "its input was closed or idle"
		case <-x.output.Done():
			return "its output was closed"
		case <-x.slot.Lost():
			return "its runner was lost"
		case <-x.meter.Unpaid():
			return "it is not paid"
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), lifecycle.ErrDrainOver) {
				return lifecycle.ErrDrainOver.Error()
			}
			return "the node stops"
		case now := <-look.C:
			if w.notRead(now, x.input) {
				x.slot.Recheck()
			}
		}
	}
}

// readerWatch notices that an input with segments is not read: a runner that was killed closes its
// connections long before it misses probes.
type readerWatch struct{ last time.Time }

// notRead reports that the runner should be probed because it does not read its input.
func (w *readerWatch) notRead(now time.Time, in *trickle.Channel) bool {
	if in.Readers() > 0 || in.Next() == 0 || now.Sub(w.last) < recheckInterval {
		return false
	}
	w.last = now
	return true
}

// abandon ends a session that has not begun.
func (x *session) abandon() {
	x.closeChannels()
	x.meter.Close()
	x.release()
}

func (x *session) closeChannels() {
	for _, suffix := range []string{"", suffixOut, suffixControl, suffixEvents} {
		x.hub.Close(x.id + suffix)
	}
}

// release gives the runner back, once.
func (x *session) release() {
	if x.cancel != nil {
		x.cancel()
	}
	if x.answer != nil {
		_ = x.answer.Close()
	}
	x.slot.Release()
}
