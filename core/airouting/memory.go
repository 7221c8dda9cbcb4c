package airouting

import (
	"hash/fnv"
	"sync"
)

// DefaultPrefixes is how many prompt prefixes a gateway remembers.
const DefaultPrefixes = 64 << 10

// maxHashes bounds the prefixes of one prompt.
const maxHashes = 1024

// Memory remembers which orchestrator answered which prompt prefix, so that a conversation
// continues where its prefix is cached. It holds hashes, no text. The least recently used are
// dropped. Safe for concurrent use.
type Memory struct {
	mu sync.Mutex
	// Two generations of half the size each: used entries move to the young one; when that is full
	// it becomes the old one, and the old one is dropped.
	young, old map[uint64]string
	half       int
}

// NewMemory makes a memory of size prefixes, 0 for the default.
func NewMemory(size int) *Memory {
	if size <= 0 {
		size = DefaultPrefixes
	}
	return &Memory{young: make(map[uint64]string), half: max(1, size/2)}
}

// saltOf hashes a table's name: equal prompts of different models are different entries.
func saltOf(name string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name)) // never fails
	return h.Sum64()
}

// longest finds the orchestrator that answered the longest prefix, "" when none is known.
func (m *Memory) longest(salt uint64, hashes []uint64) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	hashes = tail(hashes)
	for i := len(hashes) - 1; i >= 0; i-- {
		key := hashes[i] ^ salt
		if uri, ok := m.young[key]; ok {
			return uri
		}
		if uri, ok := m.old[key]; ok {
			m.put(key, uri)
			return uri
		}
	}
	return ""
}

func (m *Memory) remember(salt uint64, hashes []uint64, uri string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, h := range tail(hashes) {
		m.put(h^salt, uri)
	}
}

func (m *Memory) put(key uint64, uri string) {
	if _, ok := m.young[key]; !ok && len(m.young) >= m.half {
		m.old, m.young = m.young, make(map[uint64]string)
	}
	m.young[key] = uri
}

// Len returns the number of remembered prefixes; some may count twice.
func (m *Memory) Len() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.young) + len(m.old)
}

func tail(hashes []uint64) []uint64 { return hashes[max(0, len(hashes)-maxHashes):] }
