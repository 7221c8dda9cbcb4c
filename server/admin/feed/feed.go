package feed

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
)

// readerBuffer is how many events a reader may be behind before it is dropped.
const readerBuffer = 8

// beatEvery is how many intervals without a change make a beat, so that both ends
// notice when the other is gone.
const beatEvery = 15

// ErrFull says that there are as many readers as may be, ErrEnded that the feed ends.
var (
	ErrFull  = errors.New("as many readers as may be")
	ErrEnded = errors.New("the feed has ended")
)

// Options are what a Feed is made of.
type Options[T any] struct {
	// Make makes the document of the moment. It is not called twice at once.
	Make func(ctx context.Context) T
	// Newer says of lists that grow at their end what before did not have of them; nil
	// where there are no such lists.
	Newer func(before, next T) Appended
	// Interval is the shortest time between two documents.
	Interval time.Duration
	// Readers is how many there may be.
	Readers int
	Now     func() time.Time
}

// Appended are fields of which an update has only what is new, by their JSON names.
type Appended map[string]any

// Feed is safe for concurrent use.
type Feed[T any] struct {
	o Options[T]

	// making is held while a document is made; it covers what follows.
	making sync.Mutex
	at     time.Time
	latest T
	fields fields
	known  bool
	made   int

	mu      sync.Mutex
	readers map[*Reader]struct{} // guarded by mu
	ended   bool                 // guarded by mu
	wake    chan struct{}
}

// New makes a feed; nothing is sent until Run.
func New[T any](o Options[T]) *Feed[T] {
	return &Feed[T]{o: o, readers: make(map[*Reader]struct{}), wake: make(chan struct{}, 1)}
}

// Reader gets events.
type Reader struct {
	events chan []byte
	leave  func()
}

// Events are ready to be written. The channel is closed when the reader was too slow
// or the feed ends.
func (r *Reader) Events() <-chan []byte { return r.events }

// Leave ends it.
func (r *Reader) Leave() { r.leave() }

// Latest returns the document, not older than the interval.
func (f *Feed[T]) Latest(ctx context.Context) T {
	f.making.Lock()
	defer f.making.Unlock()
	f.renew(ctx)
	return f.latest
}

// Made returns how many documents were made so far.
func (f *Feed[T]) Made() int {
	f.making.Lock()
	defer f.making.Unlock()
	return f.made
}

// Join adds a reader, whose first event is the whole document. The error is ErrFull or
// ErrEnded.
func (f *Feed[T]) Join(ctx context.Context) (*Reader, error) {
	r := &Reader{events: make(chan []byte, readerBuffer)}
	r.leave = func() { f.drop(r) }
	f.making.Lock()
	defer f.making.Unlock()
	f.mu.Lock()
	full, ended := len(f.readers) >= f.o.Readers, f.ended
	f.mu.Unlock()
	switch {
	case ended:
		return nil, ErrEnded
	case full:
		return nil, ErrFull
	}
	f.renew(ctx)
	r.events <- event(adminapi.EventWhole, f.fields.join())
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended {
		return nil, ErrEnded
	}
	f.readers[r] = struct{}{}
	select {
	case f.wake <- struct{}{}:
	default:
	}
	return r, nil
}

// drop takes a reader out, once.
func (f *Feed[T]) drop(r *Reader) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, in := f.readers[r]; in {
		delete(f.readers, r)
		close(r.events)
	}
}

// send gives an event to every reader whose buffer is not full, and drops the others: they come
// back and begin with the whole.
func (f *Feed[T]) send(event []byte) {
	if event == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for r := range f.readers {
		select {
		case r.events <- event:
		default:
			delete(f.readers, r)
			close(r.events)
		}
	}
}
