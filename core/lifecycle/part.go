package lifecycle

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// part is one started component.
type part struct {
	component Component
	ctx       context.Context
	cancel    context.CancelFunc
	ready     chan struct{}
	// done is closed when Run has returned; err and unasked are set before.
	// unasked: it ended without being asked.
	done    chan struct{}
	err     error
	unasked bool
	// reported belongs to the goroutine of RunWith.
	reported bool
}

func newPart(base context.Context, c Component) *part {
	ctx, cancel := context.WithCancel(base)
	return &part{
		component: c,
		ctx:       ctx,
		cancel:    cancel,
		ready:     make(chan struct{}),
		done:      make(chan struct{}),
	}
}

// run starts the component. When it ends before it was stopped, it is sent on
// failed, which is large enough for every part.
func (p *part) run(failed chan<- *part) {
	var once sync.Once
	ready := func() { once.Do(func() { close(p.ready) }) }
	go func() {
		defer close(p.done)
		p.err = runGuarded(p.ctx, p.component, ready)
		if p.ctx.Err() == nil {
			p.unasked = true
			failed <- p
		} else if errors.Is(p.err, context.Canceled) {
			// We ended it ourselves: not an error.
			p.err = nil
		}
	}()
}

// runGuarded turns a panic of the component's own goroutine into an error, so
// that the other components still stop in order.
func runGuarded(ctx context.Context, c Component, ready func()) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fault.Recovered(v)
		}
	}()
	return c.Run(ctx, ready)
}

func (p *part) wasReady() bool {
	select {
	case <-p.ready:
		return true
	default:
		return false
	}
}

func (p *part) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// grace returns how long the component may take to stop.
func (p *part) grace(opts Options) time.Duration {
	if s, ok := p.component.(Stopper); ok {
		return s.StopGrace()
	}
	return opts.StopGrace
}
