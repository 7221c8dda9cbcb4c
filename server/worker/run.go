package worker

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// finishing is how long an orchestrator that takes no second registration of the same
// worker is left alone after a break, for the tasks that still run for it.
const finishing = 3 * time.Second

const (
	// missed is how long after the end of a registration the orchestrator has certainly
	// seen that the worker is gone.
	missed = 8 * time.Second
	// twinPause is how often an address is tried that leads to an orchestrator which has
	// this worker already: the other address may fail.
	twinPause = 10 * time.Second
)

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
	// twin says that the last attempt led to an orchestrator that has this worker already.
	twin bool
	// gone says that no process listened at the last attempt to connect: the one that
	// waited for the results of running tasks has ended, and its successor counts its
	// tasks from the beginning.
	gone bool
	// back is closed when a registration stands after one that ended.
	back chan struct{}
}

// away ends what is kept for the orchestrator when no registration comes soon after the
// one that has ended.
func (l *link[N]) away() {
	back := make(chan struct{})
	l.back = back
	l.Go(func(ctx context.Context) {
		timer := time.NewTimer(missed)
		defer timer.Stop()
		select {
		case <-timer.C:
			l.forget()
		case <-back:
		case <-ctx.Done():
		}
	})
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
	defer l.clear()
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
		level := slog.LevelInfo
		if l.twin {
			level = slog.LevelDebug
		}
		l.o.Log.Log(ctx, level, l.o.Landmark+" "+l.addr, "orchestrator", l.addr)
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

func (l *link[N]) condition(code fault.Code) health.Key {
	about := l.addr
	if l.o.Kind != "" {
		about = l.o.Kind + " at " + l.addr
	}
	return health.Key{Code: code, About: about}
}

// clear takes the conditions back.
func (l *link[N]) clear() {
	l.o.Board.Clear(l.condition(fault.WorkerNotRegistered))
	l.o.Board.Clear(l.condition(fault.WorkerSameOrchestrator))
}

// registered notes that the orchestrator has taken the registration.
func (l *link[N]) registered(s *stream) {
	l.twin = false
	if l.back != nil {
		close(l.back)
		l.back = nil
	}
	l.becomes(s.state(), nil)
	l.clear()
	l.o.Log.Info("registered with the orchestrator", "orchestrator", l.addr, "node", l.view().Node)
}

// lost notes the end of a registration, or a failed attempt, and waits until the next.
func (l *link[N]) lost(ctx context.Context, why *fault.Fault, stood time.Duration) {
	if strings.Contains(why.Detail, pingsForbidden) {
		l.ping = pingRare
	}
	twin := why.Code == fault.WorkerSameOrchestrator
	if stood > 0 {
		l.o.Log.Warn("the registration with the orchestrator ended", "orchestrator", l.addr, "after", stood.Round(time.Millisecond), fault.Attr(why))
	} else {
		if twin != l.twin {
			l.clear()
		}
		l.o.Board.Report(l.condition(why.Code), why)
	}
	l.twin = twin
	pause := l.pause.after(l.o.Now(), stood, l.o.Rand())
	if twin {
		pause = twinPause
	}
	l.becomes(Waiting, func(s *Status) {
		s.Code, s.Reason, s.Next = why.Code, why.Detail, l.o.Now().Add(pause)
	})
	if !l.Own() {
		l.tasks.wait(ctx, finishing)
	}
	if l.gone {
		l.tasks.cancelAll()
		l.forget()
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
