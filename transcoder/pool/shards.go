package pool

import (
	"hash/maphash"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
)

// shards is the map of sessions by id, in parts with a lock each, so that a scan over all
// sessions blocks only one part at a time.
type shards struct {
	seed  maphash.Seed
	parts [64]shard
}

type shard struct {
	mu   sync.RWMutex
	byID map[core.SessionID]*session // guarded by mu
}

func newShards() *shards {
	s := &shards{seed: maphash.MakeSeed()}
	for i := range s.parts {
		s.parts[i].byID = make(map[core.SessionID]*session)
	}
	return s
}

func (s *shards) of(id core.SessionID) *shard {
	return &s.parts[maphash.String(s.seed, string(id))%uint64(len(s.parts))]
}

func (s *shards) get(id core.SessionID) *session {
	part := s.of(id)
	part.mu.RLock()
	defer part.mu.RUnlock()
	return part.byID[id]
}

func (s *shards) put(x *session) {
	part := s.of(x.id)
	part.mu.Lock()
	defer part.mu.Unlock()
	part.byID[x.id] = x
}

// take removes a session, nil when there is none.
func (s *shards) take(id core.SessionID) *session {
	part := s.of(id)
	part.mu.Lock()
	defer part.mu.Unlock()
	x := part.byID[id]
	delete(part.byID, id)
	return x
}

// unused lists the sessions of one part that had no segment since a time.
func (s *shards) unused(part int, since time.Time) []core.SessionID {
	p := &s.parts[part]
	p.mu.RLock()
	defer p.mu.RUnlock()
	var out []core.SessionID
	for id, x := range p.byID {
		if x.usedAt.Load().Before(since) && x.inProgress.Load() == 0 {
			out = append(out, id)
		}
	}
	return out
}

// all lists the sessions of one part.
func (s *shards) all(part int) []core.SessionID {
	p := &s.parts[part]
	p.mu.RLock()
	defer p.mu.RUnlock()
	out := make([]core.SessionID, 0, len(p.byID))
	for id := range p.byID {
		out = append(out, id)
	}
	return out
}
