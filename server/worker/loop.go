package worker

import (
	"context"
	"errors"
	"strconv"
	"sync"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// Loop keeps the registrations of a worker. It is a lifecycle.Component, and drains.
type Loop[N any] struct {
	o     Options
	links []*linkRunner[N]
	drain func()
	// deregistered is closed when no registration is left.
	deregistered chan struct{}
}

// New makes a loop; nothing happens until Run.
func New[N any](o Options, work Work[N]) (*Loop[N], error) {
	o = o.withDefaults()
	switch {
	case len(o.Orchestrators) == 0, o.Rand == nil, o.Credential == "", o.Instance == "":
		return nil, errors.New("a worker needs orchestrators, a credential, an instance name and a random source")
	}
	if o.Board == nil {
		o.Board = health.New(o.Log, o.Now, nil)
	}
	l := &Loop[N]{o: o, deregistered: make(chan struct{})}
	endErr := make(chan struct{})
	for i, addr := range o.Orchestrators {
		instance := o.Instance
		if i > 0 {
			instance += "/" + strconv.Itoa(i+1)
		}
		one := newLink(&l.o, addr, instance)
		one.number = i + 1
		if k, ok := any(work).(Forgetter); ok {
			one.onForget = k.Forget
		}
		l.links = append(l.links, &linkRunner[N]{Link: one, work: work, drain: endErr, ping: pingEvery})
	}
	l.drain = sync.OnceFunc(func() {
		for _, one := range l.links {
			one.mu.Lock()
			one.draining = true
			one.mu.Unlock()
		}
		close(endErr)
	})
	return l, nil
}

// Name returns the component's name.
func (*Loop[N]) Name() string { return "registration" }

// Run keeps the worker registered until ctx ends, then cancels the running tasks and waits
// for them. It fails when every orchestrator has refused the worker permanently:
// WorkerSecretRefused, WorkerZeroCapacity or WorkerDismissed. While one accepts it, refusals
// of the others are health conditions.
func (l *Loop[N]) Run(ctx context.Context, ready func()) error {
	base, cancel := context.WithCancel(ctx)
	type end struct {
		of  *linkRunner[N]
		err error
	}
	ended := make(chan end, len(l.links))
	var running sync.WaitGroup
	defer func() {
		cancel()
		running.Wait()
		for _, one := range l.links {
			one.tasks.all.Wait()
			one.http.CloseIdleConnections()
		}
	}()
	for _, one := range l.links {
		one.base = base
		running.Go(func() { ended <- end{one, one.run(base)} })
	}
	ready()
	refused, err := 0, error(nil)
	for range l.links {
		if e := <-ended; e.err != nil {
			refused++
			err = e.err
			l.o.Board.Report(e.of.condition(fault.CodeOf(err)), err)
		}
	}
	if refused == len(l.links) && ctx.Err() == nil {
		return err
	}
	close(l.deregistered)
	<-ctx.Done()
	return ctx.Err()
}

// Drain deregisters the worker: it announces the drain to orchestrators that support it,
// finishes the running tasks and ends the registrations.
func (l *Loop[N]) Drain(ctx context.Context) error {
	l.drain()
	select {
	case <-l.deregistered:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Status returns the state of every registration, in the order of the options.
func (l *Loop[N]) Status() []Status {
	out := make([]Status, len(l.links))
	for i, one := range l.links {
		out[i] = one.snapshot()
	}
	return out
}
