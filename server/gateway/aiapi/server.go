package aiapi

import (
	"context"
	"net/http"
	"sync"

	"github.com/tuttinode/tutti/core/fairqueue"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/server/admission"
)

// Server serves AI requests of applications. Make it with New, mount it with Register, and end it
// with Close.
type Server struct {
	opt     Options
	queues  *modelQueues
	bodies  budget
	shares  keyShares
	results *resultCache
	// downloads are the clients that fetch results.
	downloads *admission.Downloads
	async     *asyncJobs
	// soundLengths has the lengths of sounds measured, a few at once, in turns.
	soundLengths *pipeline.Measuring
	// conversions is the queue of sounds and images that are converted.
	conversions *fairqueue.Queue
	// refusalLog limits log lines about refused requests, which clients without a key can cause.
	refusalLog refusalLog
	// requests and buffers are pools.
	requests, buffers sync.Pool

	// mu guards what follows.
	mu       sync.Mutex
	inFlight int
	draining bool
	// idle is closed when draining and no request is in flight.
	idle chan struct{}
}

// New makes a Server. It opens nothing and starts nothing.
func New(opt Options) (*Server, error) {
	opt, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	f := &Server{
		opt:          opt,
		queues:       newModelQueues(opt.Limits.PerModel, max(opt.Limits.Queue, 0), opt.Capacity),
		bodies:       newBudget(opt.Limits.Bytes),
		shares:       newKeyShares(opt.Limits.Bytes),
		results:      newResultCache(opt.Limits.Results, opt.Limits.ResultAge, opt.Now, opt.Rand),
		async:        newAsync(opt.Limits.Async, opt.Limits.ResultAge, opt.Now, opt.Rand),
		downloads:    admission.NewDownloads(func() int64 { return opt.Limits.Results }, opt.Now),
		soundLengths: pipeline.NewMeasuring(opt.Media),
		conversions:  fairqueue.New(fairqueue.Options{Slots: maxConversions, MaxWaiting: maxWaiting}),
		idle:         make(chan struct{}),
	}
	f.buffers.New = func() any { return new([bigBuffer]byte) }
	return f, nil
}

// Register mounts the AI routes: /llm and the other pipelines, all of /v1/, and /results/.
func (s *Server) Register(mux *http.ServeMux) {
	guard := http.NewCrossOriginProtection()
	guard.SetDenyHandler(s.handler(&route{method: http.MethodPost, serve: func(*relayedRequest) error {
		return fault.New(fault.RequestCrossSite, "take request", "pages of other sites may not use this gateway")
	}}))
	for i := range routes {
		mux.Handle(routes[i].path, guard.Handler(s.handler(&routes[i])))
	}
	mux.HandleFunc(resultPath, s.serveResult)
}

// handler serves one route.
func (s *Server) handler(rt *route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := s.newRequest(w, r, rt)
		// Deferred, so that a panic leaks no slot and no reservation.
		defer x.end()
		x.err = x.serve()
	})
}

// enter counts a request as in flight, or refuses it while draining.
func (s *Server) enter() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.draining {
		return fault.New(fault.Draining, "take request",
			"the gateway is draining: it finishes its requests and takes no more")
	}
	s.inFlight++
	return nil
}

func (s *Server) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inFlight--
	if s.draining && s.inFlight == 0 {
		close(s.idle)
	}
}

// Drain refuses new requests and returns when those in flight are answered, or when ctx ends.
func (s *Server) Drain(ctx context.Context) error {
	s.mu.Lock()
	if !s.draining {
		s.draining = true
		if s.inFlight == 0 {
			close(s.idle)
		}
	}
	s.mu.Unlock()
	select {
	case <-s.idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close ends asynchronous jobs and drops all results. No request may be in flight.
func (s *Server) Close() {
	s.async.close()
	s.results.close()
	s.opt.Guards.Close()
	if c, ok := s.opt.Fetcher.(*fetcher); ok {
		c.close()
	}
}
