package orchestrate

import (
	"container/list"
	"context"
	"sync"
	"time"
)

// fetchTime is how long a gateway may take to fetch a result. Until then only fetched
// results may be evicted.
const fetchTime = 4 * time.Second

// resultCache keeps values in memory until they are fetched, limited in bytes. Parties
// share it: one that fetches nothing cannot keep the others out.
type shelf[K comparable, V any] struct {
	now  func() time.Time
	size func(V) int64
	// onDropLocked, if set, is called with mu held for each key that is dropped.
	dropped func(K)

	// mu guards what follows.
	mu      sync.Mutex
	max     int64
	used    int64
	by      map[string]int64
	order   *list.List // of *cachedResult[K, V], oldest first
	byKey   map[K]*list.Element
	changed chan struct{} // closed and replaced when a value was fetched
}

type shelved[K comparable, V any] struct {
	key     K
	value   V
	party   string // "" if unknown
	at      time.Time
	fetched bool
}

func newShelf[K comparable, V any](maxBytes int64, now func() time.Time, size func(V) int64) *shelf[K, V] {
	return &shelf[K, V]{
		max: maxBytes, now: now, size: size, order: list.New(),
		by: make(map[string]int64), byKey: make(map[K]*list.Element), changed: make(chan struct{}),
	}
}

// Bytes is the size of the cached values.
func (s *shelf[K, V]) Bytes() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used
}

// AwaitFetched returns when no young value is unfetched any more, or with ctx's error.
func (s *shelf[K, V]) AwaitFetched(ctx context.Context) error {
	for {
		s.mu.Lock()
		wanted, changed := s.wanted(s.now()), s.changed
		s.mu.Unlock()
		if !wanted {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}

// entry is the value of list element e.
func (s *shelf[K, V]) at(e *list.Element) *shelved[K, V] { return e.Value.(*shelved[K, V]) }

// fetchPendingLocked reports whether a value younger than fetchTime was not fetched yet.
func (s *shelf[K, V]) wanted(now time.Time) bool {
	for e := s.order.Back(); e != nil; e = e.Prev() {
		it := s.at(e)
		if now.Sub(it.at) >= fetchTime {
			return false
		}
		if !it.fetched {
			return true
		}
	}
	return false
}

// putLocked adds a party's value, replacing the key's previous one. The caller has called
// evictLocked.
func (s *shelf[K, V]) put(party string, key K, value V, now time.Time) {
	if e, ok := s.byKey[key]; ok {
		s.drop(e)
	}
	s.byKey[key] = s.order.PushBack(&shelved[K, V]{key: key, value: value, party: party, at: now})
	s.used += s.size(value)
	s.by[party] += s.size(value)
}

// markFetchedLocked marks an element as fetched.
func (s *shelf[K, V]) fetch(e *list.Element) {
	if it := s.at(e); !it.fetched {
		it.fetched = true
		close(s.changed)
		s.changed = make(chan struct{})
	}
}

// evictLocked drops the oldest values until need more bytes of a party fit. It spares young
// unfetched values, except those of the party with the most bytes. It drops nothing if that
// is not enough.
func (s *shelf[K, V]) makeRoom(party string, need int64, now time.Time) bool {
	victims, ok := s.victims(party, need, now)
	if !ok {
		return false
	}
	for _, e := range victims {
		s.drop(e)
	}
	return true
}

// victimsLocked are the values that evictLocked would drop, and whether they are enough.
func (s *shelf[K, V]) victims(party string, need int64, now time.Time) (out []*list.Element, ok bool) {
	short := s.used + need - s.max
	take := func(e *list.Element) {
		out = append(out, e)
		short -= s.size(s.at(e).value)
	}
	e := s.order.Front()
	for ; e != nil && short > 0 && now.Sub(s.at(e).at) >= fetchTime; e = e.Next() {
		take(e)
	}
	young := e
	for ; e != nil && short > 0; e = e.Next() {
		if s.at(e).fetched {
			take(e)
		}
	}
	if short <= 0 {
		return out, true
	}
	// A party that fetches nothing must not keep others out: evict from the party with the
	// most bytes, as long as it has more than the new one will have.
	most, excess := s.most(party, need)
	for e = young; e != nil && short > 0 && excess > 0; e = e.Next() {
		if it := s.at(e); it.party == most && !it.fetched {
			take(e)
			excess -= s.size(it.value)
		}
	}
	return out, short <= 0
}

// largestPartyLocked is the party with the most bytes, and by how much it exceeds what
// another party will have with need more bytes.
func (s *shelf[K, V]) most(than string, need int64) (party string, excess int64) {
	for name, bytes := range s.by {
		if more := bytes - s.by[than] - need; more > excess {
			party, excess = name, more
		}
	}
	return party, excess
}

// Fits reports whether need more bytes of a party can be stored, with eviction if needed.
func (s *shelf[K, V]) Fits(party string, need int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.victims(party, need, s.now())
	return ok
}

// dropMatchingLocked drops the values that which selects.
func (s *shelf[K, V]) dropWhere(which func(key K, at time.Time) bool) {
	for e := s.order.Front(); e != nil; {
		next := e.Next()
		if it := s.at(e); which(it.key, it.at) {
			s.drop(e)
		}
		e = next
	}
}

// dropLocked drops one value.
func (s *shelf[K, V]) drop(e *list.Element) {
	it := s.at(e)
	s.order.Remove(e)
	s.used -= s.size(it.value)
	if s.by[it.party] -= s.size(it.value); s.by[it.party] == 0 {
		delete(s.by, it.party)
	}
	delete(s.byKey, it.key)
	if s.dropped != nil {
		s.dropped(it.key)
	}
}

// bound returns the limit.
func (s *shelf[K, V]) bound() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.max
}

// setMaxBytes changes the limit.
func (s *shelf[K, V]) setMax(n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.max = n
}
