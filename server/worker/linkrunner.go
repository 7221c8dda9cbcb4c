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

// finishTime is the pause before a reconnect to an orchestrator that accepts no second
// registration of a worker, so that its running tasks can finish.
const finishTime = 3 * time.Second

const (
	// stateTimeout is how long after the end of a registration the orchestrator has certainly
	// seen that the worker is gone.
	stateTimeout = 8 * time.Second
	// duplicatePause is how often an address is tried that is of an orchestrator which has
	// this worker already: the other address may fail.
	duplicatePause = 10 * time.Second
)

// linkRunner keeps the registration with one orchestrator. Only its own goroutine uses the
// fields below.
type linkRunner[N any] struct {
	*Link
	work Work[N]
	// drain is closed when the worker drains.
	drain chan struct{}
	// reading is held while a notification is handled: during a replacement two streams
	// are read.
	reading sync.Mutex
	backoff retryBackoff
	ping    time.Duration
	// duplicate: the last attempt reached an orchestrator that has this worker already.
	duplicate bool
	// refusedConn: no process listened at the last attempt to connect. The process that
	// waited for the running tasks has ended, and its successor starts new task ids.
	refusedConn bool
	// reregistered is closed when a registration succeeds after one that ended.
	reregistered chan struct{}
}

// expireState drops the orchestrator's state unless a new registration succeeds within
// stateTimeout.
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

// run registers repeatedly until ctx ends, the worker is drained, or the orchestrator
// refuses it permanently, whose fault it returns.
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

// clearConditions clears the health conditions.
func (l *linkRunner[N]) clearConditions() {
	l.o.Board.Clear(l.condition(fault.WorkerNotRegistered))
	l.o.Board.Clear(l.condition(fault.WorkerSameOrchestrator))
}

// registered records that the orchestrator accepted the registration.
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

// waitRetry records the end of a registration or a failed attempt, and waits until the
// next attempt.
func (l *linkRunner[N]) waitRetry(ctx context.Context, why *fault.Fault, lasted time.Duration) {
	if strings.Contains(why.Detail, pingsForbidden) {
		l.ping = pingRare
	}
	duplicate := why.Code == fault.WorkerSameOrchestrator
	if lasted > 0 {
		l.o.Log.Warn("the registration with the orchestrator ended", "orchestrator", l.addr, "after",
			lasted.Round(time.Millisecond), fault.Attr(why))
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

// sleep waits until the pause is over or the worker drains.
func (l *linkRunner[N]) sleep(ctx context.Context, pause time.Duration) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-l.drain:
	case <-ctx.Done():
	}
}
