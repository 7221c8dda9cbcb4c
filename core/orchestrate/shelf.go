package orchestrate

import (
	"container/list"
	"context"
	"sync"
	"time"
)

// fetchTime is how long a gateway may take to fetch what it was told of. Until
// then only what was fetched may make room for something else.
const fetchTime = 4 * time.Second

// shelf keeps values in memory until they are fetched, bounded by bytes.
type shelf[K comparable, V any] struct {
	now  func() time.Time
	size func(V) int64
	// dropped, when set, hears of each key that goes. It is called under mu.
	dropped func(K)

	// mu guards what follows.
	mu      sync.Mutex
	max     int64
	used    int64
	by      map[string]int64 // what of it is whose
	order   *list.List       // of *shelved[K, V], oldest first
	byKey   map[K]*list.Element
	changed chan struct{} // closed and replaced when a value was fetched
}

type shelved[K comparable, V any] struct {
	key     K
	value   V
	party   string // "" where that is not known
	at      time.Time
	fetched bool
}

func newShelf[K comparable, V any](maxBytes int64, now func() time.Time, size func(V) int64) *shelf[K, V] {
	return &shelf[K, V]{
		max: maxBytes, now: now, size: size, order: list.New(),
		by: make(map[string]int64), byKey: make(map[K]*list.Element), changed: make(chan struct{}),
	}
}

// Bytes is what the values take up.
func (s *shelf[K, V]) Bytes() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used
}

// AwaitFetched returns when everything that a gateway may still want was
// fetched, or with ctx's error.
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

// at returns what element e holds.
func (s *shelf[K, V]) at(e *list.Element) *shelved[K, V] { return e.Value.(*shelved[K, V]) }

// wanted reports whether a young value was not fetched. The caller holds mu.
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

// put adds a party's value, for which makeRoom made room, in place of the key's former
// one. The caller holds mu.
func (s *shelf[K, V]) put(party string, key K, value V, now time.Time) {
	if e, ok := s.byKey[key]; ok {
		s.drop(e)
	}
	s.byKey[key] = s.order.PushBack(&shelved[K, V]{key: key, value: value, party: party, at: now})
	s.used += s.size(value)
	s.by[party] += s.size(value)
}

// fetch marks what an element of byKey holds as fetched. The caller holds mu.
func (s *shelf[K, V]) fetch(e *list.Element) {
	if it := s.at(e); !it.fetched {
		it.fetched = true
		close(s.changed)
		s.changed = make(chan struct{})
	}
}

// makeRoom drops the oldest values until need more bytes of a party fit, sparing the
// young ones that were not fetched, except those of the party that has most. It drops
// nothing when that is not enough. The caller holds mu.
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

// victims are the values that makeRoom drops, and whether they are enough. The
// caller holds mu.
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
	// Who fetches nothing must not keep others out: what they lack comes from the party
	// that has most, as long as it has more than they will.
	most, excess := s.most(party, need)
	for e = young; e != nil && short > 0 && excess > 0; e = e.Next() {
		if it := s.at(e); it.party == most && !it.fetched {
			take(e)
			excess -= s.size(it.value)
		}
	}
	return out, short <= 0
}

// most is the party that has most, and how much more that is than another will have with
// need more bytes. The caller holds mu.
func (s *shelf[K, V]) most(than string, need int64) (party string, excess int64) {
	for name, bytes := range s.by {
		if more := bytes - s.by[than] - need; more > excess {
			party, excess = name, more
		}
	}
	return party, excess
}

// Fits reports whether there is room for need more bytes of a party, or can be made.
func (s *shelf[K, V]) Fits(party string, need int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.victims(party, need, s.now())
	return ok
}

// dropWhere drops what which says. The caller holds mu.
func (s *shelf[K, V]) dropWhere(which func(key K, at time.Time) bool) {
	for e := s.order.Front(); e != nil; {
		next := e.Next()
		if it := s.at(e); which(it.key, it.at) {
			s.drop(e)
		}
		e = next
	}
}

// drop forgets one value. The caller holds mu.
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
