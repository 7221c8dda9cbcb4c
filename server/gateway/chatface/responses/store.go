package responses

import (
	"container/heap"
	"container/list"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
)

// Owner is a key: the hash of its secret.
type Owner = apikeys.Hash

// entryOverhead is what a response and a turn count for besides their texts, in bytes: their entries in
// maps and lists, rounded up.
const entryOverhead = 512

// StoreLimits bound what is kept. Zero fields get defaults.
type StoreLimits struct {
	// Bytes bounds all responses together, KeyBytes those of one key; defaults 64 MiB and 16 MiB.
	Bytes, KeyBytes int64
	// PerKey is how many responses of one key are kept, Age for how long; defaults 256 and 24 h.
	PerKey int
	Age    time.Duration
}

// Defaults of StoreLimits.
const (
	DefaultStoreBytes = 64 << 20
	defaultKeyBytes   = 16 << 20
	defaultPerKey     = 256
	DefaultStoreAge   = 24 * time.Hour
)

func (l StoreLimits) withDefaults() StoreLimits {
	if l.Bytes == 0 {
		l.Bytes = DefaultStoreBytes
	}
	if l.KeyBytes == 0 {
		l.KeyBytes = defaultKeyBytes
	}
	if l.PerKey == 0 {
		l.PerKey = defaultPerKey
	}
	if l.Age == 0 {
		l.Age = DefaultStoreAge
	}
	l.KeyBytes = min(l.KeyBytes, l.Bytes)
	return l
}

// Turn is one request with its answer, and the turns before it. Responses that go on from the same
// one share its turns. A Turn does not change after Put.
type Turn struct {
	// Previous is nil for the first turn of a conversation.
	Previous *Turn
	// Input and Output are JSON arrays of items.
	Input, Output []byte

	// refs is how many kept responses and turns refer to this one. Guarded by Store.mu.
	refs int
}

func (t *Turn) size() int64 { return int64(len(t.Input)+len(t.Output)) + entryOverhead }

// StoredResponse is a kept response.
type StoredResponse struct {
	ID string
	// Object is its JSON, as clients get it.
	Object []byte
	Turn   *Turn
}

func (r *StoredResponse) size() int64 { return int64(len(r.Object)+len(r.ID)) + entryOverhead }

// storeEntry is a response in the store.
type storeEntry struct {
	StoredResponse
	account *storeAccount
	at      time.Time
	// ofAll and ofKey are its places in Store.oldest and account.oldest.
	ofAll, ofKey *list.Element
}

// storeAccount is what one key has.
type storeAccount struct {
	owner Owner
	byID  map[string]*storeEntry
	// oldest are the entries in the order in which they came.
	oldest list.List
	bytes  int64
	// index is the account's place in the heap.
	index int
}

// Store keeps responses. It is safe for concurrent use.
type Store struct {
	limits StoreLimits
	now    func() time.Time

	mu       sync.Mutex // guards what follows, and Turn.refs
	accounts map[Owner]*storeAccount
	oldest   list.List
	largest  accountHeap
	bytes    int64
}

// NewStore makes an empty Store. now is the clock.
func NewStore(limits StoreLimits, now func() time.Time) *Store {
	return &Store{limits: limits.withDefaults(), now: now, accounts: make(map[Owner]*storeAccount)}
}

// Put keeps a response with its conversation, and drops older ones of the key, or of the key that
// holds most, as far as the limits need it. It reports false where the conversation alone is above
// the limit of a key, or the ID is in use; then nothing changes.
func (s *Store) Put(owner Owner, r StoredResponse) bool {
	need := r.size()
	for t := r.Turn; t != nil; t = t.Previous {
		need += t.size()
	}
	if need > s.limits.KeyBytes {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expireLocked()
	a := s.accounts[owner]
	if a == nil {
		a = &storeAccount{owner: owner, byID: make(map[string]*storeEntry)}
		s.accounts[owner] = a
		heap.Push(&s.largest, a)
	} else if a.byID[r.ID] != nil {
		return false
	}
	e := &storeEntry{StoredResponse: r, account: a, at: s.now()}
	a.byID[r.ID] = e
	e.ofAll, e.ofKey = s.oldest.PushBack(e), a.oldest.PushBack(e)
	s.addLocked(a, r.size()+retain(r.Turn))
	for len(a.byID) > s.limits.PerKey || a.bytes > s.limits.KeyBytes {
		s.removeOldestLocked(a)
	}
	for s.bytes > s.limits.Bytes {
		s.removeOldestLocked(s.largest[0])
	}
	return true
}

// Get returns a response of the key; false where it has none with this ID.
func (s *Store) Get(owner Owner, id string) (StoredResponse, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expireLocked()
	if a := s.accounts[owner]; a != nil {
		if e := a.byID[id]; e != nil {
			return e.StoredResponse, true
		}
	}
	return StoredResponse{}, false
}

// Delete drops a response of the key and reports whether there was one. Those that went on from it
// keep its turn.
func (s *Store) Delete(owner Owner, id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expireLocked()
	if a := s.accounts[owner]; a != nil {
		if e := a.byID[id]; e != nil {
			s.removeLocked(e)
			return true
		}
	}
	return false
}

// Held returns how many responses are kept, of how many keys, and their size in bytes.
func (s *Store) Held() (responses, keys int, bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expireLocked()
	return s.oldest.Len(), len(s.accounts), s.bytes
}

// expireLocked drops what is too old.
func (s *Store) expireLocked() {
	now := s.now()
	for front := s.oldest.Front(); front != nil; front = s.oldest.Front() {
		e, _ := front.Value.(*storeEntry)
		if now.Sub(e.at) < s.limits.Age {
			return
		}
		s.removeLocked(e)
	}
}

func (s *Store) removeOldestLocked(a *storeAccount) {
	e, _ := a.oldest.Front().Value.(*storeEntry)
	s.removeLocked(e)
}

func (s *Store) removeLocked(e *storeEntry) {
	a := e.account
	delete(a.byID, e.ID)
	s.oldest.Remove(e.ofAll)
	a.oldest.Remove(e.ofKey)
	s.addLocked(a, -e.size()-release(e.Turn))
	if len(a.byID) == 0 {
		heap.Remove(&s.largest, a.index)
		delete(s.accounts, a.owner)
	}
}

// addLocked counts n bytes more for an account.
func (s *Store) addLocked(a *storeAccount, n int64) {
	a.bytes += n
	s.bytes += n
	heap.Fix(&s.largest, a.index)
}

// retain counts a reference to a turn. It returns the bytes of the turns that had none before.
func retain(t *Turn) (more int64) {
	for ; t != nil; t = t.Previous {
		if t.refs++; t.refs > 1 {
			break
		}
		more += t.size()
	}
	return more
}

// release takes a reference back. It returns the bytes of the turns that have none any more.
func release(t *Turn) (less int64) {
	for ; t != nil; t = t.Previous {
		if t.refs--; t.refs > 0 {
			break
		}
		less += t.size()
	}
	return less
}

// accountHeap has the account with most bytes first.
type accountHeap []*storeAccount

func (h accountHeap) Len() int           { return len(h) }
func (h accountHeap) Less(i, j int) bool { return h[i].bytes > h[j].bytes }
func (h accountHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

// Push is for package heap.
func (h *accountHeap) Push(x any) {
	a, _ := x.(*storeAccount)
	a.index = len(*h)
	*h = append(*h, a)
}

// Pop is for package heap.
func (h *accountHeap) Pop() any {
	last := len(*h) - 1
	a := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return a
}
