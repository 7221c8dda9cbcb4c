package byoc

import (
	"context"
	"net/http"
	"sync"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/access"
	"github.com/tuttinode/tutti/server/status"
)

// path is what all addresses begin with.
const path = "/process/"

// Server serves BYOC. Safe for concurrent use.
type Server struct {
	o Options
	// memory is what bodies hold, waiting what waits for readers of data.
	memory, waiting memory

	// ctx ends with Close; wg counts streams and requests.
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu       sync.Mutex
	draining bool
	// running is how many requests run, by their clients; idle is closed when none does after Drain.
	running map[string]int
	all     int
	idle    chan struct{}
	// streams are those that run, and those that ended a moment ago, by id.
	streams map[string]*stream
}

// New makes a server.
func New(o Options) *Server {
	o.Limits = o.Limits.complete()
	s := &Server{o: o, memory: memory{limit: o.Limits.Bytes, by: make(map[string]int64)},
		waiting: memory{limit: o.Limits.Bytes, by: make(map[string]int64)},
		running: make(map[string]int), idle: make(chan struct{}), streams: make(map[string]*stream)}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// Register adds the addresses.
func (s *Server) Register(mux *http.ServeMux) {
	mux.HandleFunc(path+"request/", s.serveRequest)
	mux.HandleFunc(path+"stream/start", s.serveStart)
	mux.HandleFunc(path+"stream/{id}/whip", s.serveWHIP)
	mux.HandleFunc(path+"stream/{id}/rtmp", s.serveRTMP)
	mux.HandleFunc(path+"stream/{id}/update", s.serveUpdate)
	mux.HandleFunc(path+"stream/{id}/status", s.serveStatus)
	mux.HandleFunc(path+"stream/{id}/data", s.serveData)
	mux.HandleFunc(path+"stream/{id}/stop", s.serveStop)
}

// Drain refuses new jobs and streams, and returns when the jobs that run are answered, or ctx ends. The server of live
// media waits for the streams.
func (s *Server) Drain(ctx context.Context) error {
	s.mu.Lock()
	if !s.draining {
		s.draining = true
		s.idleLocked()
	}
	s.mu.Unlock()
	select {
	case <-s.idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close ends all jobs and streams.
func (s *Server) Close() {
	s.mu.Lock()
	s.draining = true
	s.mu.Unlock()
	s.cancel()
	s.wg.Wait()
}

func (s *Server) idleLocked() {
	if s.draining && s.all == 0 {
		select {
		case <-s.idle:
		default:
			close(s.idle)
		}
	}
}

// caller is where a request comes from.
type caller struct {
	// name identifies it in limits and payments: its key, or without one its network.
	name string
	// owner is its key, this machine, or its network; streams are for the owner that began them.
	owner string
	// unchecked: it has no key and is another machine. Only the operator's service admitted it.
	unchecked bool
}

// share is how much of a limit one client may use: half of it, without a key an eighth.
func (c *caller) share(limit int64) int64 {
	if c.unchecked {
		return max(1, limit/8)
	}
	return max(1, limit/2)
}

// known checks a request's method and its key, before anything of it is read. stream: it is about a stream, of which
// the operator's service decides where there are no keys. The error is a fault.
func (s *Server) known(w http.ResponseWriter, r *http.Request, method string, stream bool) error {
	if r.Method != method {
		w.Header().Set("Allow", method)
		return fault.New(fault.MethodNotAllowed, "take request", "this address takes "+method)
	}
	if s.o.Keys == nil {
		return nil
	}
	if !s.o.Keys.Required() {
		err := s.o.CheckLocal(r)
		if err != nil && stream && s.o.Live.AsksService() {
			return nil
		}
		return err
	}
	return s.o.Keys.Known(token(r))
}

func token(r *http.Request) string { return apikeys.BearerToken(r.Header.Get("Authorization")) }

// recheck returns what checks the key of a request again; nil where none is needed.
func (s *Server) recheck(r *http.Request) apikeys.Check {
	if s.o.Keys == nil || !s.o.Keys.Required() {
		return nil
	}
	key := token(r)
	from, _ := access.Client(r)
	return func(ctx context.Context) error { return s.o.Keys.Use(ctx, key, path+"stream", from) }
}

// ownMachine is the owner of what this machine asks for while there is no key.
const ownMachine = "machine"

func (s *Server) callerOf(r *http.Request, grant *apikeys.Grant) caller {
	network, _ := access.Client(r)
	c := caller{name: "address " + network, owner: "address " + network}
	if id := grant.ID(); id != "" { // a service may give many keys one name
		c.name = "key " + id
	}
	switch {
	case s.o.Keys == nil:
	case s.o.Keys.Required():
		hash := apikeys.HashOf(token(r))
		c.owner = "key " + string(hash[:])
	case s.o.CheckLocal(r) == nil:
		c.owner = ownMachine
	default:
		c.unchecked = true
	}
	return c
}

// admit takes a job's time from the limits of the client's key. The grant must be settled. The error is a fault.
func (s *Server) admit(r *http.Request, route string, j *job) (*apikeys.Grant, caller, error) {
	if s.o.Keys == nil {
		return nil, s.callerOf(r, nil), nil
	}
	from, _ := access.Client(r)
	grant, err := s.o.Keys.Admit(r.Context(), token(r), apikeys.Need{Model: j.capability, Route: route, From: from,
		MaxTokens: apikeys.NoTokens})
	if err != nil {
		return nil, caller{}, err
	}
	if err := grant.Reserve(inference.Units(j.seconds)); err != nil {
		grant.Settle(inference.Usage{}, false)
		return nil, caller{}, err
	}
	return grant, s.callerOf(r, grant), nil
}

// enter counts a client's job, unless there are too many. The error is a fault; leave must be called without one.
func (s *Server) enter(c caller) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.draining:
		return fault.New(fault.Draining, "take request", "")
	case s.all >= s.o.Limits.Requests, int64(s.running[c.name]) >= c.share(int64(s.o.Limits.Requests)):
		return fault.New(fault.RequestsFull, "take request", "there are too many jobs at once")
	}
	s.all++
	s.running[c.name]++
	s.wg.Add(1)
	return nil
}

func (s *Server) leave(c caller) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all--
	if s.running[c.name]--; s.running[c.name] == 0 {
		delete(s.running, c.name)
	}
	s.idleLocked()
	s.wg.Done()
}

// refuse answers with a fault.
func refuse(w http.ResponseWriter, err error) { status.WriteJSON(w, err) }

// memory bounds what is held for clients, of one its share.
type memory struct {
	limit int64

	mu   sync.Mutex
	used int64
	by   map[string]int64
}

// take takes n bytes for a client. The error is the fault RequestsFull.
func (m *memory) take(c caller, n int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.used+n > m.limit || m.by[c.name]+n > c.share(m.limit) {
		return fault.New(fault.RequestsFull, "read request", "the requests in the gateway fill its memory limit")
	}
	m.used += n
	m.by[c.name] += n
	return nil
}

func (m *memory) release(c caller, n int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.used -= n
	if m.by[c.name] -= n; m.by[c.name] <= 0 {
		delete(m.by, c.name)
	}
}
