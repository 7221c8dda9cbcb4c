// Package answercache keeps answers of language models for requests that come again with the same bytes
// (-aiCache). It knows nothing of HTTP and of keys' secrets: server/gateway/aiapi says what is the same request.
package answercache

import (
	"container/list"
	"crypto/sha256"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Sum identifies a request of one client.
type Sum [sha256.Size]byte

// SumOf returns the sum of a request: of the ID of the client's key, the address, the version of what checks answers,
// and the body.
func SumOf(key, route string, version uint64, body []byte) Sum {
	h := sha256.New()
	// IDs of keys and routes have no line ends.
	_, _ = h.Write([]byte(key + "\n" + route + "\n" + strconv.FormatUint(version, 10) + "\n"))
	_, _ = h.Write(body)
	return Sum(h.Sum(nil))
}

// Answer is an answer as it was sent.
type Answer struct {
	ContentType string
	Body        []byte
	// Made is when it was kept.
	Made time.Time
}

const (
	// maxPart bounds one answer to this fraction (one in so many) of the cache.
	maxPart = 16
	// perAnswer is the memory of an answer besides its bytes.
	perAnswer = 512
)

// Options make a Cache.
type Options struct {
	// Age is how long an answer is kept, Bytes the memory of all.
	Age   time.Duration
	Bytes int64
	// Keys are the names of the keys whose answers are kept; one may end in "*". "*" is also for clients
	// without a key.
	Keys []string
	Now  func() time.Time
}

// Cache keeps answers. A nil *Cache keeps none. When it is full the least recently used answer goes of the key
// that holds most, so that one client's answers do not displace those of others.
type Cache struct {
	o Options

	mu      sync.Mutex
	held    int64                 // guarded by mu
	answers map[Sum]*list.Element // guarded by mu
	owners  map[string]*owner     // guarded by mu
	stats   Stats                 // guarded by mu
}

// Stats is what a cache holds, and did since the node started.
type Stats struct {
	// Answers and Bytes are held now.
	Answers int
	Bytes   int64
	// Hits and Misses count what was looked for, Evictions answers that made room for others.
	Hits, Misses, Evictions int64
}

// Stats returns them, zero for a nil cache.
func (c *Cache) Stats() Stats {
	if c == nil {
		return Stats{}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	out := c.stats
	out.Answers, out.Bytes = len(c.answers), c.held
	return out
}

// Clear drops all answers.
func (c *Cache) Clear() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held, c.answers, c.owners = 0, map[Sum]*list.Element{}, map[string]*owner{}
}

// owner has the answers of one key, the most recently used first.
type owner struct {
	held int64
	list list.List
}

type entry struct {
	sum    Sum
	key    string
	answer Answer
}

func (e *entry) size() int64 { return int64(len(e.answer.Body)) + perAnswer }

// New makes a cache.
func New(o Options) *Cache {
	return &Cache{o: o, answers: map[Sum]*list.Element{}, owners: map[string]*owner{}}
}

// Serves reports whether answers are kept for the key of a name, "" for clients without one.
func (c *Cache) Serves(key string) bool {
	if c == nil {
		return false
	}
	for _, k := range c.o.Keys {
		beginning, open := strings.CutSuffix(k, "*")
		if k == key || open && strings.HasPrefix(key, beginning) {
			return true
		}
	}
	return false
}

// Limit is the length of the longest answer that is kept.
func (c *Cache) Limit() int { return int(c.o.Bytes/maxPart) - perAnswer }

// Get returns a kept answer. Its body must not be changed.
func (c *Cache) Get(sum Sum) (Answer, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	el, ok := c.answers[sum]
	if !ok {
		c.stats.Misses++
		return Answer{}, false
	}
	e := el.Value.(*entry)
	if c.o.Now().Sub(e.answer.Made) >= c.o.Age {
		c.dropLocked(el)
		c.stats.Misses++
		return Answer{}, false
	}
	c.stats.Hits++
	c.owners[e.key].list.MoveToFront(el)
	return e.answer, true
}

// Put keeps an answer for the key of an ID. One that is too long is not kept.
func (c *Cache) Put(sum Sum, key, contentType string, body []byte) {
	if len(body) > c.Limit() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if el, ok := c.answers[sum]; ok {
		c.dropLocked(el)
	}
	e := &entry{sum, key, Answer{contentType, body, c.o.Now()}}
	for c.held+e.size() > c.o.Bytes {
		c.evictLocked()
	}
	o := c.owners[key]
	if o == nil {
		o = &owner{}
		c.owners[key] = o
	}
	c.answers[sum] = o.list.PushFront(e)
	o.held += e.size()
	c.held += e.size()
}

// evictLocked drops an answer of the key that holds most.
func (c *Cache) evictLocked() {
	var most *owner
	for _, o := range c.owners {
		if most == nil || o.held > most.held {
			most = o
		}
	}
	c.stats.Evictions++
	c.dropLocked(most.list.Back())
}

func (c *Cache) dropLocked(el *list.Element) {
	e := el.Value.(*entry)
	o := c.owners[e.key]
	o.list.Remove(el)
	o.held -= e.size()
	c.held -= e.size()
	delete(c.answers, e.sum)
	if o.list.Len() == 0 {
		delete(c.owners, e.key)
	}
}
