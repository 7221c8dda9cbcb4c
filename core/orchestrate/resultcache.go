package orchestrate

import (
	"container/list"
	"context"
	"sync"
	"time"
)

// resultCache keeps values in memory until they are fetched, limited in bytes. Parties
// share it: one that fetches nothing cannot keep the others out.
type resultCache[K comparable, V any] struct {
	now  func() time.Time
	size func(V) int64
	// onDropLocked, if set, is called with mu held for each key that is dropped.
	onDropLocked func(K)

	// mu guards what follows.
	mu           sync.Mutex
	maxBytes     int64
	usedBytes    int64
	bytesByParty map[string]int64
	order        *list.List // of *cachedResult[K, V], oldest first
	byKey        map[K]*list.Element
	changed      chan struct{} // closed and replaced when a value was fetched
}

type cachedResult[K comparable, V any] struct {
	key     K
	value   V
	party   string // "" if unknown
	at      time.Time
	fetched bool
}

func newResultCache[K comparable, V any](maxBytes int64, now func() time.Time, size func(V) int64) *resultCache[K, V] {
	return &resultCache[K, V]{
		maxBytes: maxBytes, now: now, size: size, order: list.New(),
		bytesByParty: make(map[string]int64), byKey: make(map[K]*list.Element), changed: make(chan struct{}),
	}
}

// Bytes returns the size of the cached values.
func (s *resultCache[K, V]) Bytes() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.usedBytes
}

// AwaitFetched returns when no young value is unfetched any more, or with ctx's error.
func (s *resultCache[K, V]) AwaitFetched(ctx context.Context) error {
	for {
		s.mu.Lock()
		wanted, changed := s.fetchPendingLocked(s.now()), s.changed
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

// entry returns the value of list element e.
func (s *resultCache[K, V]) entry(e *list.Element) *cachedResult[K, V] {
	return e.Value.(*cachedResult[K, V])
}

// fetchPendingLocked reports whether a value younger than fetchTime was not fetched yet.
func (s *resultCache[K, V]) fetchPendingLocked(now time.Time) bool {
	for e := s.order.Back(); e != nil; e = e.Prev() {
		it := s.entry(e)
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
func (s *resultCache[K, V]) putLocked(party string, key K, value V, now time.Time) {
	if e, ok := s.byKey[key]; ok {
		s.dropLocked(e)
	}
	s.byKey[key] = s.order.PushBack(&cachedResult[K, V]{key: key, value: value, party: party, at: now})
	s.usedBytes += s.size(value)
	s.bytesByParty[party] += s.size(value)
}

// markFetchedLocked marks an element as fetched.
func (s *resultCache[K, V]) markFetchedLocked(e *list.Element) {
	if it := s.entry(e); !it.fetched {
		it.fetched = true
		close(s.changed)
		s.changed = make(chan struct{})
	}
}

// evictLocked drops the oldest values until need more bytes of a party fit. It spares young
// unfetched values, except those of the party with the most bytes. It drops nothing if that
// is not enough.
func (s *resultCache[K, V]) evictLocked(party string, need int64, now time.Time) bool {
	victims, ok := s.victimsLocked(party, need, now)
	if !ok {
		return false
	}
	for _, e := range victims {
		s.dropLocked(e)
	}
	return true
}

// victimsLocked returns the values that evictLocked would drop, and whether they are enough.
func (s *resultCache[K, V]) victimsLocked(party string, need int64, now time.Time) (out []*list.Element, ok bool) {
	short := s.usedBytes + need - s.maxBytes
	take := func(e *list.Element) {
		out = append(out, e)
		short -= s.size(s.entry(e).value)
	}
	e := s.order.Front()
	for ; e != nil && short > 0 && now.Sub(s.entry(e).at) >= fetchTime; e = e.Next() {
		take(e)
	}
	young := e
	for ; e != nil && short > 0; e = e.Next() {
		if s.entry(e).fetched {
			take(e)
		}
	}
	if short <= 0 {
		return out, true
	}
	// A party that fetches nothing must not keep others out: evict from the party with the
	// most bytes, as long as it has more than the new one will have.
	most, excess := s.largestPartyLocked(party, need)
	for e = young; e != nil && short > 0 && excess > 0; e = e.Next() {
		if it := s.entry(e); it.party == most && !it.fetched {
			take(e)
			excess -= s.size(it.value)
		}
	}
	return out, short <= 0
}

// largestPartyLocked returns the party with the most bytes, and by how much it exceeds what
// another party will have with need more bytes.
func (s *resultCache[K, V]) largestPartyLocked(than string, need int64) (party string, excess int64) {
	for name, bytes := range s.bytesByParty {
		if more := bytes - s.bytesByParty[than] - need; more > excess {
			party, excess = name, more
		}
	}
	return party, excess
}

// Fits reports whether need more bytes of a party can be stored, with eviction if needed.
func (s *resultCache[K, V]) Fits(party string, need int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.victimsLocked(party, need, s.now())
	return ok
}

// dropMatchingLocked drops the values that which selects.
func (s *resultCache[K, V]) dropMatchingLocked(which func(key K, at time.Time) bool) {
	for e := s.order.Front(); e != nil; {
		next := e.Next()
		if it := s.entry(e); which(it.key, it.at) {
			s.dropLocked(e)
		}
		e = next
	}
}

// dropLocked drops one value.
func (s *resultCache[K, V]) dropLocked(e *list.Element) {
	it := s.entry(e)
	s.order.Remove(e)
	s.usedBytes -= s.size(it.value)
	if s.bytesByParty[it.party] -= s.size(it.value); s.bytesByParty[it.party] == 0 {
		delete(s.bytesByParty, it.party)
	}
	delete(s.byKey, it.key)
	if s.onDropLocked != nil {
		s.onDropLocked(it.key)
	}
}

// limit returns the limit.
func (s *resultCache[K, V]) limit() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.maxBytes
}

// setMaxBytes changes the limit.
func (s *resultCache[K, V]) setMaxBytes(n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.maxBytes = n
}
