package aiapi

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// resultPath is where results are: /results/<32 hex digits>/<n>.<ext>.
const resultPath = "/results/{id}/{name}"

// result is one image, video or sound.
type result struct {
	data []byte
	// mediaType is one that no browser runs; ext fits it, with its dot.
	mediaType, ext string
}

// newResult finds out what data is. An orchestrator's word for it does not count:
// the gateway would serve its pages as its own.
func newResult(data []byte) result {
	mediaType := http.DetectContentType(data)
	ext, ok := extensions[mediaType]
	if !ok {
		mediaType, ext = "application/octet-stream", ".bin"
	}
	return result{data, mediaType, ext}
}

// extensions are the media that pipelines make, as DetectContentType calls them.
var extensions = map[string]string{
	"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp", "image/gif": ".gif",
	"video/mp4": ".mp4", "video/webm": ".webm",
	"audio/wave": ".wav", "audio/mpeg": ".mp3", "application/ogg": ".ogg",
}

// results keeps what jobs made until it is fetched, for a while and within a
// bound; the oldest make room.
type results struct {
	limit  int64
	age    time.Duration
	now    func() time.Time
	random io.Reader

	mu    sync.Mutex
	held  int64             // guarded by mu, bytes in batches
	batch map[string]*batch // guarded by mu, by id
	order []string          // guarded by mu, ids, the oldest first
	timer *time.Timer       // guarded by mu, runs while there are batches
	shut  bool              // guarded by mu
}

// batch is the results of one job.
type batch struct {
	results []result
	size    int64
	made    time.Time
}

func newResults(limit int64, age time.Duration, now func() time.Time, random io.Reader) *results {
	return &results{limit: limit, age: age, now: now, random: random, batch: make(map[string]*batch)}
}

// put keeps a job's results and returns the path they are under, "/results/…/".
func (s *results) put(rs []result) (string, error) {
	b := &batch{results: rs, made: s.now()}
	for _, r := range rs {
		b.size += int64(len(r.data))
	}
	if b.size > s.limit {
		return "", errResultsFull()
	}
	id := newID(s.random)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shut {
		return "", fault.New(fault.Draining, "keep results", "the gateway stops")
	}
	for s.held+b.size > s.limit {
		s.dropOldest()
	}
	s.batch[id] = b
	s.order = append(s.order, id)
	s.held += b.size
	if s.timer == nil {
		s.timer = time.AfterFunc(s.age, s.sweep)
	}
	return "/results/" + id + "/", nil
}

// errResultsFull is the fault of a job that made more than can be kept.
func errResultsFull() error {
	return fault.New(fault.RequestsFull, "keep results", "the results are larger than all the memory for them")
}

// sweep drops what is too old, and comes again while anything is left.
func (s *results) sweep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.timer = nil
	if s.shut {
		return
	}
	now := s.now()
	for len(s.order) > 0 {
		left := s.age - now.Sub(s.batch[s.order[0]].made)
		if left > 0 {
			s.timer = time.AfterFunc(left, s.sweep)
			return
		}
		s.dropOldest()
	}
}

// dropOldest forgets one batch. The caller holds mu.
func (s *results) dropOldest() {
	id := s.order[0]
	s.order = s.order[1:]
	s.held -= s.batch[id].size
	delete(s.batch, id)
}

// get finds a result by the last two elements of its path.
func (s *results) get(id, name string) (result, bool) {
	number, ext, _ := strings.Cut(name, ".")
	n, err := strconv.Atoi(number)
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.batch[id]
	if err != nil || b == nil || n < 0 || n >= len(b.results) || b.results[n].ext != "."+ext || s.now().Sub(b.made) > s.age {
		return result{}, false
	}
	return b.results[n], true
}

func (s *results) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shut = true
	if s.timer != nil {
		s.timer.Stop()
	}
	clear(s.batch)
	s.order, s.held = nil, 0
}

// serveResult hands a result out. It needs no key: who knows the address has it
// from the answer.
func (f *Front) serveResult(w http.ResponseWriter, r *http.Request) {
	res, ok := f.results.get(r.PathValue("id"), r.PathValue("name"))
	if !ok || r.Method != http.MethodGet && r.Method != http.MethodHead {
		f.handler(&route{path: "/results/", method: http.MethodGet, serve: func(*exchange) error {
			return fault.New(fault.ResultGone, "find result", "this result is not kept any more, or never was")
		}}).ServeHTTP(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", res.mediaType)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "private, max-age="+strconv.Itoa(int(f.opt.Limits.ResultAge/time.Second)))
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	control := http.NewResponseController(w)
	// As long as a slow client may take for the largest.
	_ = control.SetWriteDeadline(time.Now().Add(f.opt.Limits.Stall + time.Duration(len(res.data)/bodyPace)*time.Second))
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(res.data))
	_ = control.Flush()
	_ = control.SetWriteDeadline(time.Time{})
}
