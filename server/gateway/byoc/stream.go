package byoc

import (
	"context"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/access"
	"github.com/tuttinode/tutti/server/gateway/live"
)

var (
	errNoPublisher = errors.New("the stream has no publisher")
	errStopping    = errors.New("the gateway is stopping")
)

// stream is one that a worker works on.
type stream struct {
	s      *Server
	id     string
	job    *job
	client caller
	grant  *apikeys.Grant
	// check checks the client's key again.
	check apikeys.Check
	times searchTimes
	// params is the body that begins it at an orchestrator, of which the memory holds a part.
	params []byte
	// outputs are RTMP addresses that get the result.
	outputs []string
	handle  *live.Handle
	data    readers
	begun   time.Time

	mu sync.Mutex
	// reserved are the seconds that were taken from the budget of the client's key.
	reserved int64
	// refused is an orchestrator's refusal that would be another one's too.
	refused *live.RefusedError
	// present is where the stream runs, nil for a moment while that changes.
	present *work
	// update is the last one, for the next orchestrator.
	update     []byte
	updateType string
	endedAt    time.Time
	// stopping: its client ends it, so that no other orchestrator is looked for.
	stopping bool
}

// startBody is what a client begins a stream with.
type startBody struct {
	Name   string          `json:"stream_name"`
	ID     string          `json:"stream_id"`
	RTMP   string          `json:"rtmp_output"`
	Params json.RawMessage `json:"params"`
}

// startAnswer is the answer to the client. What there is not is "".
type startAnswer struct {
	ID         string `json:"stream_id"`
	WHIP       string `json:"whip_url"`
	WHEP       string `json:"whep_url"`
	RTMP       string `json:"rtmp_url"`
	RTMPOutput string `json:"rtmp_output_url"`
	Update     string `json:"update_url"`
	Status     string `json:"status_url"`
	Data       string `json:"data_url"`
	Stop       string `json:"stop_url"`
}

// serveStart begins a stream.
func (s *Server) serveStart(w http.ResponseWriter, r *http.Request) {
	st, err := s.start(w, r)
	if err != nil {
		var refused *live.RefusedError
		if errors.As(err, &refused) {
			http.Error(w, refused.Text, refused.Status)
			return
		}
		refuse(w, err)
		return
	}
	writeJSON(w, st.addresses(r))
}

func writeJSON(w http.ResponseWriter, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		refuse(w, fault.Wrap(fault.Unexpected, "describe a stream", err))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(data) // the client may have left
}

// start begins a stream, and returns when an orchestrator has it. The error is a fault, or a live.RefusedError.
func (s *Server) start(w http.ResponseWriter, r *http.Request) (*stream, error) {
	if err := s.known(w, r, http.MethodPost, true); err != nil {
		return nil, err
	}
	j, err := parseJob(r.Header.Get(jobHeader))
	if err != nil {
		return nil, err
	}
	grant, c, err := s.admit(r, path+"stream/start", j)
	if err != nil {
		return nil, err
	}
	st := &stream{s: s, job: j, client: c, grant: grant, check: s.recheck(r), times: s.timesOf(r.Header), begun: s.o.Now(),
		reserved: j.seconds, data: readers{most: s.o.Limits.Readers, memory: &s.waiting, client: c}}
	if err = st.reserve(); err == nil {
		err = s.begin(w, r, st)
	}
	if err != nil {
		st.settleKey()
		return nil, err
	}
	ctx, stop := s.joined(r.Context())
	defer stop()
	if err := st.handle.Ready(ctx); err != nil {
		st.handle.Stop(err)
		<-st.handle.Done()
		st.mu.Lock()
		refused := st.refused
		st.mu.Unlock()
		if refused != nil {
			return nil, refused
		}
		return nil, unready(err)
	}
	return st, nil
}

// unready is the fault of a stream that no orchestrator took.
func unready(err error) error {
	if _, ok := errors.AsType[*fault.Fault](err); ok {
		return err
	}
	return fault.Wrap(fault.NoOrchestratorReachable, "begin a stream", err)
}

// begin reads a stream's body and begins it.
func (s *Server) begin(w http.ResponseWriter, r *http.Request, st *stream) error {
	if err := s.enter(st.client); err != nil {
		return err
	}
	defer s.leave(st.client)
	data, release, err := s.readBody(w, r, st.client)
	if err != nil {
		return err
	}
	err = st.read(r, data)
	if err == nil {
		err = s.add(st, r)
	}
	if err != nil {
		release()
		return err
	}
	go func() { // counted by add
		defer s.wg.Done()
		defer release()
		st.watch()
	}()
	return nil
}

// random is a name that is not to be guessed.
func (s *Server) random() (string, error) {
	var b [16]byte
	if _, err := io.ReadFull(s.o.Rand, b[:]); err != nil {
		return "", fault.Wrap(fault.Unexpected, "make a name", err)
	}
	return hex.EncodeToString(b[:]), nil
}

// add makes a stream known, and begins it. The server's count of work has one more then. The error is a fault.
func (s *Server) add(st *stream, r *http.Request) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forgetLocked(st.client)
	own, all := int64(0), 0
	for _, old := range s.streams {
		if old.ended().IsZero() {
			all++
			if old.client.name == st.client.name {
				own++
			}
		}
	}
	old := s.streams[st.id]
	switch {
	case s.draining:
		return fault.New(fault.Draining, "begin a stream", "")
	case old != nil && old.ended().IsZero():
		return fault.New(fault.CapabilityStreamExists, "begin a stream", "a stream with this id runs")
	case all >= s.o.Limits.Streams, own >= st.client.share(int64(s.o.Limits.Streams)):
		return fault.New(fault.StreamsFull, "begin a stream", "there are too many streams")
	}
	h, err := s.o.Live.Begin(live.Plan{Name: "byoc-" + st.id, ID: st.id, Host: r.Host, Outputs: st.outputs,
		Network: network{st}, Start: s.o.Limits.Start, Search: 4 * s.o.Limits.Start})
	if err != nil {
		return err
	}
	st.mu.Lock()
	st.handle = h // its work may have begun
	st.mu.Unlock()
	s.streams[st.id] = st
	s.wg.Add(1)
	return nil
}

// watch waits for the end of a stream, and ends one that takes video and has no publisher.
func (st *stream) watch() {
	every := max(st.s.o.Limits.Idle/8, time.Millisecond)
	tick := time.NewTicker(every)
	defer tick.Stop()
	var key sync.WaitGroup
	defer key.Wait()
	ctx, cancel := context.WithCancel(st.s.ctx)
	defer cancel()
	key.Go(func() {
		if err := st.check.Watch(ctx, st.s.o.Limits.KeyCheck); err != nil {
			st.s.o.Log.Info("a stream ends: its API key is not good any more", "stream", st.id, fault.Attr(err))
			st.handle.Stop(err)
		}
	})
	for done := false; !done; {
		select {
		case <-tick.C:
			last := st.handle.LastPicture()
			if last.Before(st.begun) {
				last = st.begun
			}
			if st.job.options.Input && st.s.o.Now().Sub(last) >= st.s.o.Limits.Idle {
				st.handle.Stop(errNoPublisher)
			}
		case <-st.s.ctx.Done():
			st.handle.Stop(errStopping)
			<-st.handle.Done()
			done = true
		case <-st.handle.Done():
			done = true
		}
	}
	st.data.close()
	st.settleKey()
	st.mu.Lock()
	st.endedAt = st.s.o.Now()
	st.params, st.update = nil, nil // its status is remembered, and they count in the memory no more
	st.mu.Unlock()
}

// reserve takes from the budget of the client's key the time that the stream has run, whether or not its orchestrator
// had to be paid for it, and an interval ahead. The error is a fault.
func (st *stream) reserve() error {
	need := started(st.s.o.Now().Sub(st.begun)+st.s.o.Limits.Pay, false)
	st.mu.Lock()
	defer st.mu.Unlock()
	if need <= st.reserved {
		return nil
	}
	err := st.grant.Reserve(inference.Units(need - st.reserved))
	if err == nil {
		st.reserved = need
	}
	return err
}

// settleKey counts the time that the stream took against its client's key.
func (st *stream) settleKey() {
	if st.grant == nil {
		return
	}
	st.grant.SetBilled(inference.Units(started(st.s.o.Now().Sub(st.begun), false)))
	st.grant.Settle(inference.Usage{}, false)
}

// ended is when the stream ended; zero while it runs.
func (st *stream) ended() time.Time {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.endedAt
}

// find returns a stream of the client that asks. The error is a fault.
func (s *Server) find(w http.ResponseWriter, r *http.Request, method string) (*stream, error) {
	return s.findFor(w, r, method, "")
}

// findFor is find for requests of another owner too.
func (s *Server) findFor(w http.ResponseWriter, r *http.Request, method, other string) (*stream, error) {
	if err := s.known(w, r, method, true); err != nil {
		return nil, err
	}
	if s.o.Keys != nil && s.o.Keys.Required() {
		from, _ := access.Client(r)
		if err := s.o.Keys.Use(r.Context(), token(r), path+"stream", from); err != nil {
			return nil, err
		}
	}
	owner := s.callerOf(r, nil).owner
	s.mu.Lock()
	st := s.streams[r.PathValue("id")]
	s.mu.Unlock()
	switch {
	case st == nil, !st.ended().IsZero() && st.ended().Before(s.o.Now().Add(-s.o.Limits.Remember)):
		return nil, fault.New(fault.StreamNotFound, "find a stream", "there is no such stream")
	case subtle.ConstantTimeCompare([]byte(owner), []byte(st.client.owner)) != 1 && (other == "" || owner != other):
		return nil, fault.New(fault.StreamDenied, "find a stream", "the stream is another client's")
	}
	return st, nil
}

// addresses are the stream's, as its client reaches this gateway.
func (st *stream) addresses(r *http.Request) startAnswer {
	base := "http://" + r.Host + path + "stream/" + st.id
	a := startAnswer{ID: st.id, Update: base + "/update", Status: base + "/status", Stop: base + "/stop"}
	o := &st.job.options
	if o.Input && st.s.o.Live.Media() {
		a.WHIP = base + "/whip"
	}
	if o.Output {
		a.WHEP, a.RTMPOutput = st.handle.PlayURL(), strings.Join(st.outputs, ",")
	}
	if o.Data {
		a.Data = base + "/data"
	}
	return a
}

// current is where the stream runs. The error is a fault.
func (st *stream) current() (*work, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.present == nil {
		return nil, fault.New(fault.OrchestratorUnreachable, "reach the stream's worker",
			"the stream is without an orchestrator at the moment")
	}
	return st.present, nil
}

// header signs the stream's job.
func (st *stream) header(ctx context.Context) (string, error) {
	return st.s.o.Client.SignCapabilityJob(ctx, st.job.wire(st.id))
}
