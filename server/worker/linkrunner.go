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
const finishTime = 3 * time.Second

const (
	// missed is how long after the end of a registration the orchestrator has certainly
	// seen that the worker is gone.
	stateTimeout = 8 * time.Second
	// twinPause is how often an address is tried that leads to an orchestrator which has
	// this worker already: the other address may fail.
	duplicatePause = 10 * time.Second
)

// link keeps the registration with one orchestrator. Only its own goroutine uses the
// fields below.
type linkRunner[N any] struct {
	*Link
	work Work[N]
	// drain is closed when the worker takes leave.
	drain chan struct{}
	// reading is held while a notice is acted on: during a replacement two streams
	// are read.
	reading sync.Mutex
	backoff retryBackoff
	ping    time.Duration
	// twin says that the last attempt led to an orchestrator that has this worker already.
	duplicate bool
	// gone says that no process listened at the last attempt to connect: the one that
	// waited for the results of running tasks has ended, and its successor counts its
	// tasks from the beginning.
	refusedConn bool
	// back is closed when a registration stands after one that ended.
	reregistered chan struct{}
}

// away ends what is kept for the orchestrator when no registration comes soon after the
// one that has ended.
func (l *linkRunner[N]) expireState() {
	back := make(chan struct{})
	l.reregistered = back
	l.Go(func(ctx context.Context) {
		timer := time.NewTimer(stateTimeout)
		defer timer.Stop()
		select {
		case <-timer.C:
			l.forget()
		case <-back:
		case <-ctx.Done():
		}
	})
}

func (l *linkRunner[N]) notify(n *N) {
	l.reading.Lock()
	defer l.reading.Unlock()
	l.work.Notify(l.Link, n)
}

// run registers again and again, until ctx ends, the worker has taken leave, or the
// orchestrator refuses it for good: that fault is returned.
func (l *linkRunner[N]) run(ctx context.Context) error {
	defer l.http.CloseIdleConnections()
	defer l.clearConditions()
	for ctx.Err() == nil {
		if l.Draining() {
			l.tasks.wait(ctx, 0)
			break
		}
		if l.work.Offer() == nil {
			l.setState(Waiting, func(s *Status) { s.Code, s.Reason = "", "nothing to offer" })
			l.sleep(ctx, checkEvery)
			continue
		}
		l.setState(Connecting, nil)
		level := slog.LevelInfo
		if l.duplicate {
			level = slog.LevelDebug
		}
		l.o.Log.Log(ctx, level, l.o.RegisterLog+" "+l.addr, "orchestrator", l.addr)
		lasted, err := l.serve(ctx)
		switch {
		case ctx.Err() != nil, errors.Is(err, errDeregistered):
			l.tasks.wait(ctx, 0)
			l.setState(Left, nil)
			return nil
		case errors.Is(err, errOffer):
			l.tasks.wait(ctx, finishTime)
			continue
		}
		why, permanent := classifyEnd(l.addr, err)
		if permanent {
			l.setState(Refused, func(s *Status) { s.Code, s.Reason = why.Code, why.Detail })
			return why
		}
		l.waitRetry(ctx, why, lasted)
	}
	l.setState(Left, nil)
	return nil
}

func (l *linkRunner[N]) condition(code fault.Code) health.Key {
	about := l.addr
	if l.o.Kind != "" {
		about = l.o.Kind + " at " + l.addr
	}
	return health.Key{Code: code, About: about}
}

// clear takes the conditions back.
func (l *linkRunner[N]) clearConditions() {
	l.o.Board.Clear(l.condition(fault.WorkerNotRegistered))
	l.o.Board.Clear(l.condition(fault.WorkerSameOrchestrator))
}

// registered notes that the orchestrator has taken the registration.
func (l *linkRunner[N]) registered(s *stream) {
	l.duplicate = false
	if l.reregistered != nil {
		close(l.reregistered)
		l.reregistered = nil
	}
	l.setState(s.state(), nil)
	l.clearConditions()
	l.o.Log.Info("registered with the orchestrator", "orchestrator", l.addr, "node", l.snapshot().Node)
}

// lost notes the end of a registration, or a failed attempt, and waits until the next.
func (l *linkRunner[N]) waitRetry(ctx context.Context, why *fault.Fault, lasted time.Duration) {
	if strings.Contains(why.Detail, pingsForbidden) {
		l.ping = pingRare
	}
	duplicate := why.Code == fault.WorkerSameOrchestrator
	if lasted > 0 {
		l.o.Log.Warn("the registration with the orchestrator ended", "orchestrator", l.addr, "after", lasted.Round(time.Millisecond), fault.Attr(why))
	} else {
		if duplicate != l.duplicate {
			l.clearConditions()
		}
		l.o.Board.Report(l.condition(why.Code), why)
	}
	l.duplicate = duplicate
	pause := l.backoff.next(l.o.Now(), lasted, l.o.Rand())
	if duplicate {
		pause = duplicatePause
	}
	l.setState(Waiting, func(s *Status) {
		s.Code, s.Reason, s.Next = why.Code, why.Detail, l.o.Now().Add(pause)
	})
	if !l.IsTutti() {
		l.tasks.wait(ctx, finishTime)
	}
	if l.refusedConn {
		l.tasks.cancelAll()
		l.forget()
	}
	l.sleep(ctx, pause)
}

// sleep waits until the pause is over, or the worker takes leave.
func (l *linkRunner[N]) sleep(ctx context.Context, pause time.Duration) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-l.drain:
	case <-ctx.Done():
	}
}
