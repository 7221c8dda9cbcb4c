package orchestrate

import (
	"slices"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// How long renditions are kept: until newer ones need their memory.
const (
	// fetchTime is how long a gateway may take to fetch a result. Until then only fetched
	// results may be evicted.
	fetchTime = 4 * time.Second
	// maxPerDir is how many renditions of one profile a session keeps.
	maxPerDir = 12
	// endGrace is how long renditions outlive their session: the gateway may have ended it
	// while a download was still running.
	endGrace = 10 * time.Second
)

// Result is a rendition kept for download. The bytes must not be changed.
type Result struct {
	Data []byte
	// Signature is the MPEG-7 video signature, nil when there is none.
	Signature []byte
	// Party is the party that Put was called with.
	Party string
}

func (r Result) size() int64 { return int64(len(r.Data) + len(r.Signature)) }

// Results keeps renditions in memory until they are fetched, limited in bytes. It is safe
// for concurrent use.
type Results struct {
	*resultCache[Path, Result]
	// resultCache.mu guards what follows.
	byDir map[dirKey][]Path // oldest first
	ended map[core.SessionID]time.Time
}

type dirKey struct {
	session core.SessionID
	dir     string
}

// NewResults makes a store of at most maxBytes.
func NewResults(maxBytes int64, now func() time.Time) *Results {
	r := &Results{
		resultCache: newResultCache[Path](maxBytes, now, Result.size),
		byDir:       make(map[dirKey][]Path), ended: make(map[core.SessionID]time.Time),
	}
	r.onDropLocked = r.removeFromDirLocked
	return r
}

// Put stores the renditions of one segment of a party, all or none. It replaces those with
// the same paths. The error is ResultsFull.
func (r *Results) Put(party string, paths []Path, results []Result) error {
	now := r.now()
	r.mu.Lock()
	defer r.mu.Unlock()
	var need int64
	for i, res := range results {
		need += res.size()
		if e, ok := r.byKey[paths[i]]; ok {
			need -= r.entry(e).value.size()
		}
	}
	if !r.evictLocked(party, need, now) {
		return fault.New(fault.ResultsFull, "keep renditions", "")
	}
	for i, res := range results {
		p := paths[i]
		r.putLocked(party, p, res, now)
		delete(r.ended, p.Session)
		key := dirKey{p.Session, p.Dir}
		r.byDir[key] = append(r.byDir[key], p)
		if in := r.byDir[key]; len(in) > maxPerDir {
			r.dropLocked(r.byKey[in[0]])
		}
	}
	return nil
}

// Get finds a rendition by its path or by its signature's path.
func (r *Results) Get(p Path) (Result, bool) {
	signature := p.Signature
	p.Signature = false
	r.mu.Lock()
	defer r.mu.Unlock()
	e, ok := r.byKey[p]
	if !ok {
		return Result{}, false
	}
	res := r.entry(e).value
	res.Party = r.entry(e).party
	if signature {
		return res, res.Signature != nil
	}
	r.markFetchedLocked(e)
	return res, true
}

// End drops a session's renditions after a grace period.
func (r *Results) End(id core.SessionID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended[id] = r.now().Add(endGrace)
}

// Sweep drops the renditions of sessions whose grace period is over at now.
func (r *Results) Sweep(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	due := make(map[core.SessionID]bool)
	for id, until := range r.ended {
		if !now.Before(until) {
			due[id] = true
			delete(r.ended, id)
		}
	}
	if len(due) == 0 {
		return
	}
	r.dropMatchingLocked(func(p Path, _ time.Time) bool { return due[p.Session] })
}

// removeFromDirLocked removes a dropped rendition from its directory's list.
func (r *Results) removeFromDirLocked(p Path) {
	key := dirKey{p.Session, p.Dir}
	in := r.byDir[key]
	if i := slices.Index(in, p); i >= 0 {
		in = slices.Delete(in, i, i+1)
	}
	if len(in) == 0 {
		delete(r.byDir, key)
	} else {
		r.byDir[key] = in
	}
}

// SetResultBytes changes the memory limit of the renditions kept for download. Renditions
// above a lowered limit are evicted when new ones are stored.
func (o *Orchestrator) SetResultBytes(n int64) { o.results.setMaxBytes(n) }

// ResultBytes returns the memory limit of the renditions kept for download.
func (o *Orchestrator) ResultBytes() int64 { return o.results.limit() }
