package livevideo

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/lifecycle"
	"github.com/tuttinode/tutti/server/trickle"
)

// typeMedia is the type of input and output.
const typeMedia = "video/MP2T"

const (
	// watchInterval is how often a session looks whether its runner still reads.
	watchInterval = 250 * time.Millisecond
	// recheckInterval is how often a runner may be probed because it does not.
	recheckInterval = time.Second
	// notReadTime is how long an input with segments may have no reader before the session ends.
	notReadTime = 30 * time.Second
	// idleTime is how long a runner is waited for to become idle after its session.
	idleTime = 30 * time.Second
)

// session is one stream at one runner. supervise owns it.
type session struct {
	// id names the channels, so it is a credential. paid is the id under which the session is paid: its first.
	id, paid      string
	hub           *trickle.Hub
	input, output *trickle.Channel
	slot          inference.LongSlot
	meter         Meter
	log           *slog.Logger
	// worker names the runner.
	worker string
	// answer is the runner's; the slot is held until it is closed. cancel ends the runner's work where it
	// is in this process.
	answer io.Closer
	cancel context.CancelFunc
	// reached: the runner got the session, or its gateway left before that was known.
	reached bool
}

// shown is the part of the id that may be logged.
func (x *session) shown() string { return x.id[:8] }

// supervise waits until a side or ctx ends the session, and ends it for the others. node is the life of the node.
func (x *session) supervise(node, ctx context.Context) {
	x.log.Info("live video session begins", "session", x.shown(), "worker", x.worker)
	why := x.wait(ctx)
	if remote, ok := x.slot.(inference.RemoteSlot); ok && why == whyNotRead {
		remote.Blame(why)
	}
	x.log.Info("live video session ended", "session", x.shown(), "worker", x.worker, "reason", why)
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
			if !w.since.IsZero() && now.Sub(w.since) >= notReadTime {
				return whyNotRead
			}
		}
	}
}

// whyNotRead is the reason for the end of a session whose runner neither works nor reports an error.
const whyNotRead = "its runner does not read its input"

// readerWatch notices that an input with segments is not read: a runner that was killed closes its
// connections long before it misses probes.
type readerWatch struct {
	// since is when the input was first seen without a reader, zero while it has one; last is the last probe.
	since, last time.Time
}

// notRead reports that the runner should be probed because it does not read its input.
func (w *readerWatch) notRead(now time.Time, in *trickle.Channel) bool {
	if in.Readers() > 0 || in.Next() == 0 {
		w.since = time.Time{}
		return false
	}
	if w.since.IsZero() {
		w.since = now
	}
	if now.Sub(w.last) < recheckInterval {
		return false
	}
	w.last = now
	return true
}

// abandon ends a session that has not begun. One whose runner did not get it costs nothing.
func (x *session) abandon() {
	x.closeChannels()
	if x.reached {
		x.meter.Close()
	} else {
		x.meter.Drop()
	}
	x.release()
}

// rename gives the session a new id, which must be followed by openChannels.
func (x *session) rename(random io.Reader) (err error) {
	x.id, err = newID(func(b []byte) error { _, err := io.ReadFull(random, b); return err })
	if err != nil {
		return fault.Wrap(fault.Unexpected, "name a session", err)
	}
	return nil
}

func (x *session) openChannels() {
	x.input = x.hub.Open(x.id, x.id, typeMedia)
	x.output = x.hub.Open(x.id, x.id+outSuffix, typeMedia)
	x.hub.Open(x.id, x.id+controlSuffix, jsonType)
	x.hub.Open(x.id, x.id+eventsSuffix, jsonType)
}

func (x *session) closeChannels() {
	for _, suffix := range []string{"", outSuffix, controlSuffix, eventsSuffix} {
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
