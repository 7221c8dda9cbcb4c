package gateway

import (
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// keptSegments is how many segments' statistics a stream keeps.
const keptSegments = 32

// SegmentStats describes one segment. It is public JSON.
type SegmentStats struct {
	Number int64     `json:"number"`
	At     time.Time `json:"at"`
	// SourceSeconds is the playing time: measured, or as the client stated it where the file does
	// not tell.
	SourceSeconds float64 `json:"sourceSeconds"`
	SourceBytes   int     `json:"sourceBytes"`
	// WallMs is from the request's arrival until the renditions have arrived; UploadMs is the part
	// until the orchestrator had the segment.
	WallMs   float64 `json:"wallMs"`
	UploadMs float64 `json:"uploadMs"`
	// MediaMs is the part that the codecs took, 0 when the orchestrator does not report it.
	MediaMs float64 `json:"mediaMs"`
	// Orchestrator is the last one tried, Attempts how many were made.
	Orchestrator string `json:"orchestrator,omitempty"`
	Attempts     int    `json:"attempts"`
	// Moved is why the stream changed to that orchestrator, a fault's code; "" when it did not
	// change.
	Moved string `json:"moved,omitempty"`
	// Renditions are in the stream's order, empty when the segment failed.
	Renditions []RenditionStats `json:"renditions,omitempty"`
	// Code is the fault's code, "" for success.
	Code string `json:"code,omitempty"`
}

// RenditionStats describes one rendition of a segment.
type RenditionStats struct {
	Name  string `json:"name"`
	Bytes int    `json:"bytes"`
}

// stats returns the statistics of a finished push.
func (p *push) stats(renditions [][]byte, took time.Duration, err error) SegmentStats {
	f := SegmentStats{
		Number: int64(p.req.Number), At: p.at.UTC(),
		SourceSeconds: p.plays.Seconds(), SourceBytes: len(p.data),
		WallMs: millis(took), UploadMs: millis(p.attempts.upload), MediaMs: millis(p.attempts.media),
		Orchestrator: p.attempts.orchestrator, Attempts: p.attempts.count,
		Moved: string(p.attempts.moved),
	}
	for i, data := range renditions {
		f.Renditions = append(f.Renditions, RenditionStats{Name: p.plan.profiles[i].Name, Bytes: len(data)})
	}
	if err != nil {
		f.Code = string(fault.CodeOf(err))
	}
	return f
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// feed keeps a stream's recent segments and sends new ones to its watchers. The zero value is
// ready; it is safe for concurrent use.
type feed struct {
	mu       sync.Mutex
	recent   []SegmentStats
	segments int64
	failed   int64
	// sourceBytes and renditionBytes are of all segments.
	sourceBytes, renditionBytes int64
	lastCode, movedCode         string
	watchers                    map[chan []byte]bool
	ended                       bool
}

// add records a segment and sends it to the watchers. A slow watcher misses events rather than
// delaying the others.
func (f *feed) add(s SegmentStats) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.recent) == keptSegments {
		f.recent = slices.Delete(f.recent, 0, 1)
	}
	f.recent = append(f.recent, s)
	f.segments++
	f.sourceBytes += int64(s.SourceBytes)
	for _, r := range s.Renditions {
		f.renditionBytes += int64(r.Bytes)
	}
	if s.Moved != "" {
		f.movedCode = s.Moved
	}
	if s.Code != "" {
		f.failed++
		f.lastCode = s.Code
	}
	if len(f.watchers) == 0 {
		return
	}
	event, err := json.Marshal(s)
	if err != nil {
		return
	}
	for w := range f.watchers {
		select {
		case w <- event:
		default:
		}
	}
}

// watch subscribes to the feed; past are the segments so far. stop must be called. The channel is
// closed when the stream ends.
func (f *feed) watch() (past []SegmentStats, events <-chan []byte, stop func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	w := make(chan []byte, keptSegments)
	if f.ended {
		close(w)
		return slices.Clone(f.recent), w, func() {}
	}
	if f.watchers == nil {
		f.watchers = make(map[chan []byte]bool)
	}
	f.watchers[w] = true
	return slices.Clone(f.recent), w, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.watchers, w)
	}
}

// end closes the watchers' channels.
func (f *feed) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended = true
	for w := range f.watchers {
		close(w)
	}
	f.watchers = nil
}
