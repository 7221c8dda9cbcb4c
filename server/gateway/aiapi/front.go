package aiapi

import (
	"context"
	"net/http"
	"sync"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/server/downloads"
)

// Front serves applications. Make it with New, put it among a server's addresses
// with Register, and end it with Close.
type Front struct {
	opt     Options
	lines   *lines
	bodies  budget
	results *results
	// readers are those who fetch results.
	readers *downloads.Downloads
	async   *async
	// measuring has sounds measured, few at once and by turns.
	measuring *pipeline.Measuring
	// refusals are about requests of those that have no key as well.
	refusals refusals
	// exchanges and buffers are reused.
	exchanges, buffers sync.Pool

	// mu guards what follows.
	mu       sync.Mutex
	inFlight int
	draining bool
	// idle is closed when draining and nothing is in flight.
	idle chan struct{}
}

// New makes a Front. It opens nothing and starts nothing.
func New(opt Options) (*Front, error) {
	opt, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	f := &Front{
		opt:       opt,
		lines:     newLines(opt.Limits.PerModel, max(opt.Limits.Queue, 0), opt.Capacity),
		bodies:    newBudget(opt.Limits.Bytes),
		results:   newResults(opt.Limits.Results, opt.Limits.ResultAge, opt.Now, opt.Rand),
		async:     newAsync(opt.Limits.Async, opt.Limits.ResultAge, opt.Now, opt.Rand),
		measuring: pipeline.NewMeasuring(opt.Media),
		readers:   downloads.New(func() int64 { return opt.Limits.Results }, opt.Now),
		idle:      make(chan struct{}),
	}
	f.buffers.New = func() any { return new([bigBuffer]byte) }
	return f, nil
}

// Register puts the addresses of AI into mux: /llm and the other pipelines, all
// of /v1/, and /results/.
func (f *Front) Register(mux *http.ServeMux) {
	guard := http.NewCrossOriginProtection()
	guard.SetDenyHandler(f.handler(&route{method: http.MethodPost, serve: func(*exchange) error {
		return fault.New(fault.RequestCrossSite, "take request", "pages of other sites may not use this gateway")
	}}))
	for i := range routes {
		mux.Handle(routes[i].path, guard.Handler(f.handler(&routes[i])))
	}
	mux.HandleFunc(resultPath, f.serveResult)
}

// handler serves one route.
func (f *Front) handler(rt *route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := f.begin(w, r, rt)
		// Deferred, so that a defect in between leaves no slot and no reservation
		// behind.
		defer x.end()
		x.err = x.serve()
	})
}

// enter counts a request in, or refuses it.
func (f *Front) enter() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.draining {
		return fault.New(fault.Draining, "take request", "the gateway finishes what it has and takes no more")
	}
	f.inFlight++
	return nil
}

func (f *Front) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.inFlight--
	if f.draining && f.inFlight == 0 {
		close(f.idle)
	}
}

// Drain refuses new requests and returns when those in the gateway have their
// answers, or when ctx ends.
func (f *Front) Drain(ctx context.Context) error {
	f.mu.Lock()
	if !f.draining {
		f.draining = true
		if f.inFlight == 0 {
			close(f.idle)
		}
	}
	f.mu.Unlock()
	select {
	case <-f.idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close ends jobs whose clients poll, and forgets the results. No request may be
// in flight.
func (f *Front) Close() {
	f.async.close()
	f.results.close()
	if c, ok := f.opt.Fetcher.(*fetcher); ok {
		c.close()
	}
}
