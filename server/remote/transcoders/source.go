package transcoders

import (
	"encoding/hex"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tuttinode/tutti/server/remote"
)

const (
	// SourcePath begins the addresses at which transcoders fetch segments.
	SourcePath = "/remote/segment/"
	// sourceChunk is how much is written at once.
	sourceChunk = 256 << 10
	// A fetch may take fetchGrace, plus one second per fetchPace bytes. Transcoders of other
	// nodes give up after 4 s.
	fetchGrace = 10 * time.Second
	fetchPace  = 256 << 10
)

// sources are the segments that transcoders may fetch while their tasks run.
type sources struct {
	rand io.Reader
	now  func() time.Time

	mu      sync.Mutex
	byToken map[string]*source
}

// source is one of them. Its token cannot be guessed.
type source struct {
	token string
	data  []byte
	// fetches are in progress.
	fetches sync.WaitGroup

	// mu guards what follows; open are the running handlers, and how each is cut off.
	mu    sync.Mutex
	ended bool
	open  map[*http.Request]func()
}

func newSources(rand io.Reader, now func() time.Time) *sources {
	return &sources{rand: rand, now: now, byToken: make(map[string]*source)}
}

// put publishes a segment until drop.
func (s *sources) put(data []byte) (*source, error) {
	var random [16]byte
	if _, err := io.ReadFull(s.rand, random[:]); err != nil {
		return nil, err
	}
	src := &source{
		token: hex.EncodeToString(random[:]), data: data, open: make(map[*http.Request]func()),
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byToken[src.token] = src
	return src, nil
}

// drop ends it: after it, nothing reads the segment's bytes.
func (s *sources) drop(src *source) {
	s.mu.Lock()
	delete(s.byToken, src.token)
	s.mu.Unlock()
	src.mu.Lock()
	src.ended = true
	for _, cut := range src.open {
		cut()
	}
	src.mu.Unlock()
	src.fetches.Wait()
}

// begin counts a fetch; false when the task has ended.
func (src *source) begin(w http.ResponseWriter, r *http.Request) bool {
	src.mu.Lock()
	defer src.mu.Unlock()
	if src.ended {
		return false
	}
	src.open[r] = remote.HangUp(w, r)
	src.fetches.Add(1)
	return true
}

func (src *source) end(r *http.Request) {
	src.mu.Lock()
	defer src.mu.Unlock()
	delete(src.open, r)
	src.fetches.Done()
}

func (src *source) hasEnded() bool {
	src.mu.Lock()
	defer src.mu.Unlock()
	return src.ended
}

// Source serves the segments of running tasks, below SourcePath.
func (s *Service) Source() http.Handler { return http.HandlerFunc(s.sources.serve) }

func (s *sources) serve(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.Error(w, "MethodNotAllowed", http.StatusMethodNotAllowed)
		return
	}
	s.mu.Lock()
	src := s.byToken[strings.TrimPrefix(r.URL.Path, SourcePath)]
	s.mu.Unlock()
	if src == nil || !src.begin(w, r) {
		http.NotFound(w, r)
		return
	}
	defer src.end(r)
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Length", strconv.Itoa(len(src.data)))
	if r.Method == http.MethodHead {
		return
	}
	src.limit(http.NewResponseController(w), s.now())
	for rest := src.data; len(rest) > 0 && !src.hasEnded(); {
		n, err := w.Write(rest[:min(len(rest), sourceChunk)])
		if err != nil {
			return
		}
		rest = rest[n:]
	}
}

// limit gives a fetch its time, unless its task has just ended.
func (src *source) limit(ctl *http.ResponseController, now time.Time) {
	src.mu.Lock()
	defer src.mu.Unlock()
	if !src.ended {
		_ = ctl.SetWriteDeadline(now.Add(fetchGrace + time.Duration(len(src.data))*time.Second/fetchPace))
	}
}
