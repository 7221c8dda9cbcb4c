package worker

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// finishing is how long an orchestrator that takes no second registration of the same
// worker is left alone after a break, for the tasks that still run for it.
const finishing = 3 * time.Second

// processGone is in the text of an attempt to which nobody listened: whoever waited for
// the tasks that run is no more, and whoever comes back counts its tasks anew.
const processGone = "connection refused"

// link keeps the registration with one orchestrator. Only its own goroutine uses the
// fields below.
type link[N any] struct {
	*Link
	work Work[N]
	// drain is closed when the worker takes leave.
	drain chan struct{}
	// reading is held while a notice is acted on: during a replacement two streams
	// are read.
	reading sync.Mutex
	pause   pauses
	ping    time.Duration
}

func (l *link[N]) notice(n *N) {
	l.reading.Lock()
	defer l.reading.Unlock()
	l.work.Notice(l.Link, n)
}

// run registers again and again, until ctx ends, the worker has taken leave, or the
// orchestrator refuses it for good: that fault is returned.
func (l *link[N]) run(ctx context.Context) error {
	defer l.http.CloseIdleConnections()
	defer l.o.Board.Clear(l.condition())
	for ctx.Err() == nil {
		if l.Draining() {
			l.tasks.wait(ctx, 0)
			break
		}
		if l.work.Offer() == nil {
			l.becomes(Waiting, func(s *Status) { s.Code, s.Reason = "", "nothing to offer" })
			l.sleep(ctx, lookEvery)
			continue
		}
		l.becomes(Connecting, nil)
		l.o.Log.Info(l.o.Landmark+" "+l.addr, "orchestrator", l.addr)
		stood, err := l.serve(ctx)
		switch {
		case ctx.Err() != nil, errors.Is(err, errLeft):
			l.tasks.wait(ctx, 0)
			l.becomes(Left, nil)
			return nil
		case errors.Is(err, errOffer):
			l.tasks.wait(ctx, finishing)
			continue
		}
		why, permanent := judge(l.addr, err)
		if permanent {
			l.becomes(Refused, func(s *Status) { s.Code, s.Reason = why.Code, why.Detail })
			return why
		}
		l.lost(ctx, why, stood)
	}
	l.becomes(Left, nil)
	return nil
}

func (l *link[N]) condition() health.Key {
	about := l.addr
	if l.o.Kind != "" {
		about = l.o.Kind + " at " + l.addr
	}
	return health.Key{Code: fault.WorkerNotRegistered, About: about}
}

// registered notes that the orchestrator has taken the registration.
func (l *link[N]) registered(s *stream) {
	l.becomes(s.state(), nil)
	l.o.Board.Clear(l.condition())
	l.o.Log.Info("registered with the orchestrator", "orchestrator", l.addr, "node", l.view().Node)
}

// lost notes the end of a registration, or a failed attempt, and waits until the next.
func (l *link[N]) lost(ctx context.Context, why *fault.Fault, stood time.Duration) {
	if strings.Contains(why.Detail, pingsForbidden) {
		l.ping = pingRare
	}
	if stood > 0 {
		l.o.Log.Warn("the registration with the orchestrator ended", "orchestrator", l.addr, "after", stood.Round(time.Millisecond), fault.Attr(why))
	} else {
		l.o.Board.Report(l.condition(), why)
	}
	pause := l.pause.after(l.o.Now(), stood, l.o.Rand())
	l.becomes(Waiting, func(s *Status) {
		s.Code, s.Reason, s.Next = why.Code, why.Detail, l.o.Now().Add(pause)
	})
	if !l.Own() {
		l.tasks.wait(ctx, finishing)
	}
	if strings.Contains(why.Detail, processGone) {
		l.tasks.cancelAll()
	}
	l.sleep(ctx, pause)
}

// sleep waits until the pause is over, or the worker takes leave.
func (l *link[N]) sleep(ctx context.Context, pause time.Duration) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-l.drain:
	case <-ctx.Done():
	}
}
