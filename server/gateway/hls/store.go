package hls

import (
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/server/gateway/verify"
)

// Variant is the source or one rendition of a stream.
type Variant struct {
	// Key names it in URLs; see Keys.
	Key    string
	Format core.Format
	// Width and Height in pixels, FPS in frames per second and Codecs as in RFC
	// 6381 go into the master playlist where they are known.
	Width, Height int
	FPS           float64
	Codecs        string
	// Bitrate in bits/s is used until segments have been measured.
	Bitrate int
}

// Segment is one finished segment of a stream in all variants.
type Segment struct {
	Number   core.SegmentNumber
	Duration time.Duration
	// Times are the begin and end of its clock, nil where unknown.
	Times *verify.Times
	// Reinit says that the source changed in the middle of the stream.
	Reinit bool
	// Data is one file per variant. The store keeps the slices and only reads.
	Data [][]byte
	// At is when the segment came in.
	At time.Time
	// Release is called when the segment stops waiting for earlier ones; may be nil. From then on
	// the store's own limits apply.
	Release func()
}

func (s *Segment) release() {
	if s != nil && s.Release != nil {
		s.Release()
	}
}

// Store holds the streams. Safe for concurrent use.
type Store struct {
	limits Limits

	mu      sync.Mutex
	streams map[core.ManifestID]*stream
	bytes   int64
}

// NewStore makes an empty store.
func NewStore(limits Limits) *Store {
	return &Store{limits: limits.withDefaults(), streams: make(map[core.ManifestID]*stream)}
}

// Open begins a stream, or continues one whose variants may have changed; the next segment is then
// marked as a discontinuity. A stream that had ended continues.
func (s *Store) Open(id core.ManifestID, variants []Variant) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.streams[id]
	if st == nil {
		s.streams[id] = &stream{variants: variants}
		return
	}
	if !sameKeys(st.variants, variants) {
		// Files of the old variants cannot be listed under the new ones.
		s.dropLocked(st, len(st.window))
		st.cut = true
	}
	st.variants, st.ended = variants, false
}

func sameKeys(a, b []Variant) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Key != b[i].Key || a[i].Format != b[i].Format {
			return false
		}
	}
	return true
}

// Describe updates what is known of a stream's variants.
func (s *Store) Describe(id core.ManifestID, describe func(i int, v *Variant)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if st := s.streams[id]; st != nil {
		for i := range st.variants {
			describe(i, &st.variants[i])
		}
	}
}

// End marks a stream as ended in its playlists until it is removed.
func (s *Store) End(id core.ManifestID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if st := s.streams[id]; st != nil {
		st.ended = true
	}
}

// Remove forgets a stream and its segments.
func (s *Store) Remove(id core.ManifestID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if st := s.streams[id]; st != nil {
		s.dropLocked(st, len(st.window))
		delete(s.streams, id)
	}
}

// MaxBytes returns the limit of all windows, in bytes.
func (s *Store) MaxBytes() int64 { return s.limits.TotalBytes }

// Bytes returns the size of all windows.
func (s *Store) Bytes() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes
}
