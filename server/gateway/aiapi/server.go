package aiapi

import (
	"context"
	"net/http"
	"sync"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/downloads"
)

// Server serves AI requests of applications. Make it with New, mount it with Register, and end it
// with Close.
type Front struct {
	opt     Options
	lines   *lines
	bodies  budget
	results *results
	// downloads are the clients that fetch results.
	readers *downloads.Downloads
	async   *async
	// refusalLog limits log lines about refused requests, which clients without a key can cause.
	refusals refusals
	// requests and buffers are pools.
	exchanges, buffers sync.Pool

	// mu guards what follows.
	mu       sync.Mutex
	inFlight int
	draining bool
	// idle is closed when draining and no request is in flight.
	idle chan struct{}
}

// New makes a Server. It opens nothing and starts nothing.
func New(opt Options) (*Front, error) {
	opt, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	f := &Front{
		opt:     opt,
		lines:   newLines(opt.Limits.PerModel, max(opt.Limits.Queue, 0), opt.Capacity),
		bodies:  newBudget(opt.Limits.Bytes),
		results: newResults(opt.Limits.Results, opt.Limits.ResultAge, opt.Now, opt.Rand),
		async:   newAsync(opt.Limits.Async, opt.Limits.ResultAge, opt.Now, opt.Rand),
		readers: downloads.New(func() int64 { return opt.Limits.Results }, opt.Now),
		idle:    make(chan struct{}),
	}
	f.buffers.New = func() any { return new([bigBuffer]byte) }
	return f, nil
}

// Register mounts the AI routes: /llm and the other pipelines, all of /v1/, and /results/.
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
		// Deferred, so that a panic leaks no slot and no reservation.
		defer x.end()
		x.err = x.serve()
	})
}

// enter counts a request as in flight, or refuses it while draining.
func (f *Front) enter() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.draining {
		return fault.New(fault.Draining, "take request", "the gateway is draining: it finishes its requests and takes no more")
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

// Drain refuses new requests and returns when those in flight are answered, or when ctx ends.
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

// Close ends asynchronous jobs and drops all results. No request may be in flight.
func (f *Front) Close() {
	f.async.close()
	f.results.close()
	if c, ok := f.opt.Fetcher.(*fetcher); ok {
		c.close()
	}
}
