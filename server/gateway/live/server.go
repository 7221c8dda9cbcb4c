package live

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/admission"
	"github.com/tuttinode/tutti/server/status"
)

// path is what all addresses begin with.
const path = "/live/video-to-video/"

const (
	// maxOffer bounds an SDP offer, maxParams the parameters of a pipeline.
	maxOffer  = 64 << 10
	maxParams = 1 << 20
	maxName   = 128
)

// Texts of answers, as the network's gateways give them.
const (
	textNoStream  = "Stream not found"
	textMalformed = "Malformed stream ID"
	textNoOutput  = "Failed to initialize mpegts reader"
	textViewers   = "Too many viewers for this stream"
	textMediaType = "Unsupported Media Type, expected application/sdp"
	textParams    = "Invalid pipeline params"
	textForbidden = "Forbidden"
	stunServer    = `<stun:stun.l.google.com:19302>; rel="ice-server"`
)

// Server serves live streams. Safe for concurrent use.
type Server struct {
	o Options
	// rtc is nil without a socket for it.
	rtc *rtc
	// asks bounds calls of the webhook; media calls media servers; saved keeps copies of segments, nil for none.
	asks  *admission.Shares
	media *http.Client
	saved *savedSegments
	saves sync.Once
	// outputLines bounds the log lines of RTMP outputs.
	outputLines fault.Lines

	// ctx ends with Close; wg counts streams and connections.
	ctx    context.Context
	cancel context.CancelCauseFunc
	wg     sync.WaitGroup

	mu       sync.Mutex
	draining bool
	// streams are those that run, and those that ended a moment ago, by name.
	streams map[string]*stream
	// slots are those of unchecked clients, smoke the smoke tests that run, by their client.
	slots uncheckedSlots
	smoke map[string]int
	// resting are orchestrators that were late, with how many choices pass them over.
	resting map[string]int
}

// New makes a server on an open socket, which it closes with Close. Without one it serves no WHIP and no WHEP.
func New(o Options) (*Server, error) {
	o.Limits = o.Limits.complete()
	if o.Recorder == nil {
		o.Recorder = noRecorder{}
	}
	s := &Server{o: o, streams: make(map[string]*stream), resting: make(map[string]int),
		asks: admission.NewShares(freeAsks, maxAsks), smoke: make(map[string]int), slots: newUncheckedSlots(o.Limits.Streams),
		media: &http.Client{Transport: &http.Transport{MaxResponseHeaderBytes: 64 << 10, DisableKeepAlives: true},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	var err error
	if o.Conn != nil {
		if s.rtc, err = newRTC(o.Conn, o.NATIP, o.Limits.MinSegment); err != nil {
			return nil, fmt.Errorf("make the WebRTC endpoint: %w", err)
		}
	}
	if o.Save.Dir != "" && o.Save.First > 0 {
		if s.saved, err = newSavedSegments(o.Save.Dir, o.Save.First); err != nil {
			return nil, err
		}
	}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	return s, nil
}

// Register adds the addresses.
func (s *Server) Register(mux *http.ServeMux) {
	if s.rtc != nil {
		mux.HandleFunc(path+"{stream}/whip", s.serveWHIP)
		mux.HandleFunc(path+"{stream}/whip/{id}", wrongMethod)
		mux.HandleFunc(path+"{stream}/whep", s.serveWHEP)
	}
	mux.HandleFunc(path+"{stream}/start", s.serveStart)
	mux.HandleFunc(path+"{prefix}/{stream}/{call}", func(w http.ResponseWriter, r *http.Request) {
		if r.PathValue("call") != "start" { // a pattern of its own would overlap with that of whip
			http.NotFound(w, r)
			return
		}
		s.serveStart(w, r)
	})
	mux.HandleFunc(path+"smoketest", s.serveSmokeTest)
	mux.HandleFunc(path+"{stream}/update", s.serveUpdate)
	mux.HandleFunc(path+"{stream}/status", s.serveStatus)
}

// Drain refuses new streams, and waits until those that run end, or ctx ends.
func (s *Server) Drain(ctx context.Context) error {
	s.mu.Lock()
	s.draining = true
	var all []*stream
	for _, st := range s.streams {
		all = append(all, st)
	}
	s.mu.Unlock()
	for _, st := range all {
		select {
		case <-st.done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// Close ends all streams and connections.
func (s *Server) Close() {
	s.mu.Lock()
	s.draining = true
	s.cancel(errStopping) // with mu: background adds nothing after it
	s.mu.Unlock()
	if s.saved != nil {
		s.saved.close()
	}
	s.wg.Wait()
	if s.rtc != nil {
		s.rtc.close()
	}
}

// Streams is how many streams run.
func (s *Server) Streams() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.runningLocked()
}

func (s *Server) runningLocked() (n int) {
	for _, st := range s.streams {
		if !st.over() {
			n++
		}
	}
	return n
}

// background runs f unless the server is closed. Close waits for it.
func (s *Server) background(f func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		return false
	}
	s.wg.Go(f)
	return true
}

// add makes a stream known. It takes the place of one with the same name and owner, which ends. The error is a fault.
func (s *Server) add(st *stream) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.draining {
		return fault.New(fault.Draining, opPublish, "")
	}
	if old := s.streams[st.name]; old != nil && !old.over() && (old.plan != nil || st.plan != nil) {
		return fault.New(fault.PublishTaken, opPublish, "a planned stream is not replaced")
	}
	if err := s.claimLocked(st); err != nil {
		return err
	}
	if err := s.takeSlotLocked(st); err != nil {
		return err
	}
	s.forgetLocked(st.by)
	s.replaceLocked(st)
	s.streams[st.name] = st
	return nil
}

// byName is the stream of a name, also one that ended a moment ago; byID are those of an id.
func (s *Server) byName(name string) *stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.streams[name]
}

func (s *Server) byID(id string) (out []*stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, st := range s.streams {
		if st.id == id && st.plan == nil && !st.endedBefore(s.o.Now().Add(-s.o.Limits.Remember)) {
			out = append(out, st)
		}
	}
	return out
}

// rest passes an orchestrator over for some choices.
func (s *Server) rest(uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.resting[uri] = restFor
}

// rested orders orchestrators: those that rest come last.
func (s *Server) rested(found []Orchestrator) []Orchestrator {
	s.mu.Lock()
	defer s.mu.Unlock()
	var fresh, tired []Orchestrator
	for _, o := range found {
		if s.resting[o.URI()] > 0 {
			tired = append(tired, o)
		} else {
			fresh = append(fresh, o)
		}
	}
	for uri, n := range s.resting {
		if s.resting[uri] = n - 1; n <= 1 {
			delete(s.resting, uri)
		}
	}
	return append(fresh, tired...)
}

// random is n random bytes in hex.
func (s *Server) random(n int) (string, error) {
	b := make([]byte, n)
	if _, err := io.ReadFull(s.o.Rand, b); err != nil {
		return "", fault.Wrap(fault.Unexpected, "make a name", err)
	}
	return hex.EncodeToString(b), nil
}

// serveUpdate sends parameters to a stream's pipeline.
func (s *Server) serveUpdate(w http.ResponseWriter, r *http.Request) {
	if !s.cors(w, r) {
		return
	}
	if r.Method != http.MethodPost {
		wrongMethod(w, r)
		return
	}
	if s.o.Access != nil {
		if _, err := s.o.Access.Push(r); err != nil {
			refuse(w, err)
			return
		}
	}
	st := s.byName(r.PathValue("stream"))
	if st == nil || st.over() || st.plan != nil { // planned streams are changed by their owners
		http.Error(w, textNoStream, http.StatusNotFound)
		return
	}
	if !s.mayUse(st, s.clientOf(r, unknown(r))) {
		refuse(w, errOwned)
		return
	}
	data, err := readBody(w, r, maxParams)
	if err != nil {
		refuse(w, err)
		return
	}
	st.change(data)
}

// serveStatus says how a stream is.
func (s *Server) serveStatus(w http.ResponseWriter, r *http.Request) {
	if !s.cors(w, r) {
		return
	}
	if r.Method != http.MethodGet {
		wrongMethod(w, r)
		return
	}
	if s.o.Access != nil {
		if _, err := s.o.Access.Streams(r); err != nil {
			refuse(w, err)
			return
		}
	}
	found, by := s.byID(r.PathValue("stream")), s.clientOf(r, unknown(r))
	own := slices.IndexFunc(found, func(st *stream) bool { return s.mayUse(st, by) })
	switch {
	case len(found) == 0:
		http.Error(w, textNoStream, http.StatusNotFound)
		return
	case own < 0:
		refuse(w, errOwned)
		return
	}
	st := found[own]
	data, err := st.describe()
	if err != nil {
		refuse(w, fault.Wrap(fault.Unexpected, "describe a stream", err))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(append(data, '\n'))
}

// cors answers what browsers ask before they call from another site. It reports whether the request goes on.
func (s *Server) cors(w http.ResponseWriter, r *http.Request) bool {
	h := w.Header()
	if s.o.AllowCORS {
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("Access-Control-Allow-Headers", "Content-Type")
	}
	switch r.Method {
	case http.MethodOptions:
		if s.o.AllowCORS {
			h.Set("Access-Control-Allow-Methods", "OPTIONS, POST, GET")
			h.Set("Link", stunServer)
		}
		w.WriteHeader(http.StatusNoContent)
		return false
	case http.MethodHead:
		w.WriteHeader(http.StatusMethodNotAllowed)
		return false
	}
	return true
}

// wrongMethod is the answer of the network's gateways to methods that they do not know.
func wrongMethod(w http.ResponseWriter, r *http.Request) {
	http.Error(w, fmt.Sprintf("http push request wrong method=%s url=%s host=%s", r.Method, r.URL, r.Host),
		http.StatusMethodNotAllowed)
}

// refuse answers with a fault.
func refuse(w http.ResponseWriter, err error) {
	_, text := fault.Public(err)
	http.Error(w, text, status.HTTP(err))
}

// readBody reads a bounded body. The error is a fault.
func readBody(w http.ResponseWriter, r *http.Request, most int64) ([]byte, error) {
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return nil, fault.New(fault.RequestTooLarge, "read the request", fmt.Sprintf("at most %d bytes", most))
	}
	if err != nil {
		return nil, fault.Wrap(fault.RequestBroken, "read the request", err)
	}
	return data, nil
}

// readOffer reads an SDP offer, or answers why there is none.
func readOffer(w http.ResponseWriter, r *http.Request) (string, bool) {
	if r.Header.Get("Content-Type") != "application/sdp" {
		http.Error(w, textMediaType, http.StatusUnsupportedMediaType)
		return "", false
	}
	data, err := readBody(w, r, maxOffer)
	if err != nil {
		refuse(w, err)
		return "", false
	}
	return string(data), true
}

// splitOutput reads the name of an output: "<stream>-out" or "<stream>-<request>-out".
func (s *Server) splitOutput(name string) (st *stream, malformed bool) {
	base, ok := strings.CutSuffix(name, "-out")
	if !ok || base == "" {
		return nil, true
	}
	// The form with the request is first: another publisher could name its stream like that.
	if i := strings.LastIndexByte(base, '-'); i > 0 {
		if st := s.byName(base[:i]); st != nil && st.request == base[i+1:] {
			return st, false
		}
	}
	if st := s.byName(base); st != nil && st.plan == nil {
		return st, false
	}
	return nil, false
}
