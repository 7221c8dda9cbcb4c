package aiapi

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/access"
)

// resultPath is the route of results: /results/<32 hex digits>/<n>.<ext>.
const resultPath = "/results/{id}/{name}"

// result is one image, video or sound.
type result struct {
	data []byte
	// mediaType is one that browsers do not execute; ext is the matching extension with its dot.
	mediaType, ext string
}

// newResult detects the media type of data. The orchestrator's statement does not count, because
// the gateway would serve its HTML under its own origin.
func newResult(data []byte) result {
	mediaType := http.DetectContentType(data)
	ext, ok := extensions[mediaType]
	if !ok {
		mediaType, ext = "application/octet-stream", ".bin"
	}
	return result{data, mediaType, ext}
}

// extensions are the media types that pipelines make, as DetectContentType names them. Read-only.
var extensions = map[string]string{
	"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp", "image/gif": ".gif",
	"video/mp4": ".mp4", "video/webm": ".webm",
	"audio/wave": ".wav", "audio/mpeg": ".mp3", "application/ogg": ".ogg",
}

// largeJobPart: a job that holds more than this fraction (one in so many) of the cache is large.
const largeJobPart = 2

// resultCache keeps results until they are fetched, for a limited time and within a size limit.
// When it is full, the oldest results of the party that holds most are dropped: an orchestrator
// with oversized answers, or a client with many jobs, does not displace the results of others.
type resultCache struct {
	limit  int64
	age    time.Duration
	now    func() time.Time
	random io.Reader

	mu      sync.Mutex
	held    int64             // guarded by mu, bytes in all batches
	batches map[string]*batch // guarded by mu, by id
	// order is the IDs, oldest first, including some of dropped batches. Guarded by mu.
	order   []string
	holders map[string]*holder // guarded by mu, by party
	timer   *time.Timer        // guarded by mu, set while there are batches
	closed  bool               // guarded by mu
}

// batch is the results of one job.
type batch struct {
	party   string
	results []result
	size    int64
	made    time.Time
}

// holder is what one party holds: a client at one orchestrator.
type holder struct {
	size int64
	ids  []string // the oldest first
}

func newResultCache(limit int64, age time.Duration, now func() time.Time, random io.Reader) *resultCache {
	return &resultCache{
		limit: limit, age: age, now: now, random: random, batches: make(map[string]*batch), holders: make(map[string]*holder),
	}
}

// put keeps the results of a party's job and returns their path, "/results/…/".
func (s *resultCache) put(party string, rs []result) (string, error) {
	b := &batch{party: party, results: rs, made: s.now()}
	for _, r := range rs {
		b.size += int64(len(r.data))
	}
	if b.size > s.limit {
		return "", errResultsFull()
	}
	id := newID(s.random)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return "", fault.New(fault.Draining, "keep results", "the gateway stops")
	}
	if !s.evictLocked(party, b.size) {
		return "", errResultsFull()
	}
	h := s.holders[party]
	if h == nil {
		h = new(holder)
		s.holders[party] = h
	}
	s.batches[id] = b
	s.order, h.ids = append(s.order, id), append(h.ids, id)
	s.held, h.size = s.held+b.size, h.size+b.size
	if s.timer == nil {
		s.timer = time.AfterFunc(s.age, s.sweep)
	}
	return "/results/" + id + "/", nil
}

// evictLocked drops results until size more bytes of a party fit. A large job may only use free
// memory and its own party's.
func (s *resultCache) evictLocked(party string, size int64) bool {
	own := s.holders[party]
	large := size > s.limit/largeJobPart
	if large && own == nil && s.held+size > s.limit || large && own != nil && s.held-own.size+size > s.limit {
		return false
	}
	for s.held+size > s.limit {
		from := s.holders[party]
		for other, h := range s.holders {
			if other != party && !large && (from == nil || h.size > s.sizeWithLocked(from, party, size)) {
				from = h
			}
		}
		s.dropLocked(from.ids[0])
	}
	return true
}

// sizeWithLocked returns what a holder would have with size more bytes, if it is the party's.
func (s *resultCache) sizeWithLocked(h *holder, party string, size int64) int64 {
	if s.holders[party] == h {
		return h.size + size
	}
	return h.size
}

// errResultsFull is the fault of a job whose results do not fit.
func errResultsFull() error {
	return fault.New(fault.RequestsFull, "keep results", "the results are larger than the memory for results")
}

// sweep drops expired batches, and runs again while any are left.
func (s *resultCache) sweep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.timer = nil
	if s.closed {
		return
	}
	now := s.now()
	for len(s.order) > 0 {
		if b := s.batches[s.order[0]]; b != nil {
			if left := s.age - now.Sub(b.made); left > 0 {
				s.timer = time.AfterFunc(left, s.sweep)
				return
			}
			s.dropLocked(s.order[0])
		}
		s.order = s.order[1:]
	}
}

// dropLocked drops a batch, the oldest of its party.
func (s *resultCache) dropLocked(id string) {
	b := s.batches[id]
	h := s.holders[b.party]
	s.held, h.size, h.ids = s.held-b.size, h.size-b.size, h.ids[1:]
	if len(h.ids) == 0 {
		delete(s.holders, b.party)
	}
	delete(s.batches, id)
}

// get finds a result by the last two elements of its path.
func (s *resultCache) get(id, name string) (result, bool) {
	number, ext, _ := strings.Cut(name, ".")
	n, err := strconv.Atoi(number)
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.batches[id]
	if err != nil || b == nil || n < 0 || n >= len(b.results) || b.results[n].ext != "."+ext ||
		s.now().Sub(b.made) > s.age {
		return result{}, false
	}
	return b.results[n], true
}

func (s *resultCache) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.timer != nil {
		s.timer.Stop()
	}
	clear(s.batches)
	clear(s.holders)
	s.order, s.held = nil, 0
}

// serveResult sends a result. It needs no key: the ID cannot be guessed and is only in the answer.
func (s *Server) serveResult(w http.ResponseWriter, r *http.Request) {
	res, ok := s.results.get(r.PathValue("id"), r.PathValue("name"))
	if !ok || r.Method != http.MethodGet && r.Method != http.MethodHead {
		s.handler(&route{path: "/results/", method: http.MethodGet, serve: func(*relayedRequest) error {
			return fault.New(fault.ResultGone, "find result", "no such result, or it has expired")
		}}).ServeHTTP(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", res.mediaType)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "private, max-age="+strconv.Itoa(int(s.opt.Limits.ResultAge/time.Second)))
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	control := http.NewResponseController(w)
	size := int64(len(res.data))
	// Enough time for a slow client to read the largest result.
	_ = control.SetWriteDeadline(time.Now().Add(s.opt.Limits.Stall + time.Duration(size/minBodyRate)*time.Second))
	// Downloads by slow clients hold dropped results in memory; their total is bounded.
	party, _ := access.Client(r)
	d := s.downloads.Begin(party, res.data, control)
	defer d.End()
	http.ServeContent(w, r, "", time.Time{}, io.NewSectionReader(d, 0, size))
	_ = control.Flush()
	_ = control.SetWriteDeadline(time.Time{})
}
