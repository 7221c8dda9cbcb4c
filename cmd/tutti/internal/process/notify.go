package process

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"

	"github.com/tuttinode/tutti/core/fault"
)

// systemd is the service manager that started the process, which gets its
// state. Without one nothing is sent.
type systemd struct{ log *slog.Logger }

// send notifies the manager; a missing listener is not an error.
func (m systemd) send(state string) {
	if _, err := daemon.SdNotify(false, state); err != nil {
		m.log.Debug("the service manager was not notified", "err", err)
	}
}

func (m systemd) ready(status string) { m.send("READY=1\nSTATUS=" + status) }

func (m systemd) stopping() { m.send("STOPPING=1\nSTATUS=stopping") }

// reloading brackets a reload; the manager wants the time by its own clock.
func (m systemd) reloading() {
	if now, ok := monotonic(); ok {
		m.send(fmt.Sprintf("RELOADING=1\nMONOTONIC_USEC=%d", now.Microseconds()))
	}
}

// extend asks for time while a drain goes on: half as much again as the next telling
// is away.
func (m systemd) extend(every time.Duration, status string) {
	m.send(fmt.Sprintf("EXTEND_TIMEOUT_USEC=%d\nSTATUS=%s", (every + every/2 + time.Second).Microseconds(), status))
}

// successor names the process that has taken over.
func (m systemd) successor(pid int) { m.send(fmt.Sprintf("MAINPID=%d\nREADY=1", pid)) }

// keepAlive gives signs of life while nothing can prove them, as between two processes,
// where every step is bounded by itself. What it returns ends that and waits; it may be
// called again.
func (m systemd) keepAlive(ctx context.Context) (stop func()) {
	limit, err := daemon.SdWatchdogEnabled(false)
	if err != nil || limit <= 0 {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(limit / 3)
		defer tick.Stop()
		for ctx.Err() == nil {
			m.send(daemon.SdNotifyWatchdog)
			select {
			case <-ctx.Done():
			case <-tick.C:
			}
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}

// statusEvery is how often the manager gets a status.
const statusEvery = 10 * time.Second

// reporter sends the service manager the status, and that the node turns: a
// sign of life is only given after every part has proven to move.
type reporter struct {
	manager systemd
	status  func() string
	// proofs return when their part has moved; an error says that it did not.
	proofs func(ctx context.Context) error
}

// Name returns the component's name.
func (*reporter) Name() string { return "service manager" }

// Run reports until ctx ends.
func (r *reporter) Run(ctx context.Context, ready func()) error {
	ready()
	if os.Getenv("NOTIFY_SOCKET") == "" {
		<-ctx.Done()
		return nil
	}
	every := statusEvery
	limit, err := daemon.SdWatchdogEnabled(false)
	if err == nil && limit > 0 {
		every = min(every, limit/3)
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			r.tell(ctx, limit)
		}
	}
}

// tell says what is going on, and where a watchdog waits that all parts move.
func (r *reporter) tell(ctx context.Context, limit time.Duration) {
	r.manager.send("STATUS=" + r.status())
	if limit <= 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, limit/3)
	defer cancel()
	if err := r.proofs(ctx); err != nil {
		if ctx.Err() != context.Canceled {
			r.manager.log.Warn("no sign of life is given",
				fault.Attr(fault.Wrap(fault.WatchdogStalled, "look whether the node moves", err)))
		}
		return
	}
	r.manager.send(daemon.SdNotifyWatchdog)
}
