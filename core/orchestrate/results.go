package orchestrate

import (
	"container/list"
	"context"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

const (
	// keptPerDir is how many renditions of one profile a session keeps.
	keptPerDir = 12
	// fetchTime is how long a gateway may take to fetch a rendition. Until then
	// only a rendition that was fetched may make room for another.
	fetchTime = 4 * time.Second
	// endGrace is how long renditions outlive their session: its gateway may
	// have said goodbye while a download was still under way.
	endGrace = 10 * time.Second
)

// Result is a rendition kept for download. The bytes must not be changed.
type Result struct {
	Data []byte
	// Signature is the MPEG-7 video signature, nil when there is none.
	Signature []byte
}

func (r Result) size() int64 { return int64(len(r.Data) + len(r.Signature)) }

// Results keeps renditions in memory until they are fetched, bounded by bytes.
// Its methods may be called at the same time.
type Results struct {
	max int64
	now func() time.Time

	// mu guards what follows.
	mu      sync.Mutex
	used    int64
	order   *list.List // of *kept, oldest first
	byPath  map[Path]*list.Element
	byDir   map[dirKey][]*list.Element // oldest first
	ended   map[core.SessionID]time.Time
	changed chan struct{} // closed and replaced when a rendition was fetched
}

type dirKey struct {
	session core.SessionID
	dir     string
}

type kept struct {
	Result
	path    Path
	at      time.Time
	fetched bool
}

// NewResults makes a store of at most maxBytes.
func NewResults(maxBytes int64, now func() time.Time) *Results {
	return &Results{
		max: maxBytes, now: now, order: list.New(),
		byPath: make(map[Path]*list.Element), byDir: make(map[dirKey][]*list.Element),
		ended: make(map[core.SessionID]time.Time), changed: make(chan struct{}),
	}
}

// Put keeps the renditions of one segment, all or none. Those of the same
// paths are replaced. The error is ResultsFull.
func (r *Results) Put(paths []Path, results []Result) error {
	now := r.now()
	r.mu.Lock()
	defer r.mu.Unlock()
	var need int64
	for i, res := range results {
		need += res.size()
		if e, ok := r.byPath[paths[i]]; ok {
			need -= e.Value.(*kept).size()
		}
	}
	if !r.makeRoom(need, now) {
		return fault.New(fault.ResultsFull, "keep renditions", "")
	}
	for i, res := range results {
		p := paths[i]
		if e, ok := r.byPath[p]; ok {
			r.drop(e)
		}
		e := r.order.PushBack(&kept{Result: res, path: p, at: now})
		r.byPath[p] = e
		r.used += res.size()
		delete(r.ended, p.Session)
		key := dirKey{p.Session, p.Dir}
		r.byDir[key] = append(r.byDir[key], e)
		if in := r.byDir[key]; len(in) > keptPerDir {
			r.drop(in[0])
		}
	}
	return nil
}

// Get finds the rendition that a path, or its signature's path, names.
func (r *Results) Get(p Path) (Result, bool) {
	signature := p.Signature
	p.Signature = false
	r.mu.Lock()
	defer r.mu.Unlock()
	e, ok := r.byPath[p]
	if !ok {
		return Result{}, false
	}
	k := e.Value.(*kept)
	if signature {
		return k.Result, k.Signature != nil
	}
	if !k.fetched {
		k.fetched = true
		close(r.changed)
		r.changed = make(chan struct{})
	}
	return k.Result, true
}

// End lets the renditions of a session go after a grace time.
func (r *Results) End(id core.SessionID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended[id] = r.now().Add(endGrace)
}

// Sweep drops the renditions of sessions whose grace time is over at now.
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
	r.dropWhere(func(k *kept) bool { return due[k.path.Session] })
}

// Bytes is what the renditions take up.
func (r *Results) Bytes() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.used
}

// AwaitFetched returns when every rendition that a gateway may still want was
// fetched, or with ctx's error.
func (r *Results) AwaitFetched(ctx context.Context) error {
	for {
		r.mu.Lock()
		wanted, changed := r.wanted(r.now()), r.changed
		r.mu.Unlock()
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

// wanted reports whether a young rendition was not fetched. The caller holds mu.
func (r *Results) wanted(now time.Time) bool {
	for e := r.order.Back(); e != nil; e = e.Prev() {
		k := e.Value.(*kept)
		if now.Sub(k.at) >= fetchTime {
			return false
		}
		if !k.fetched {
			return true
		}
	}
	return false
}

// makeRoom drops the oldest renditions until need more bytes fit, sparing the
// young ones that were not fetched. It drops nothing when that is not enough.
// The caller holds mu.
func (r *Results) makeRoom(need int64, now time.Time) bool {
	short := r.used + need - r.max
	if short <= 0 {
		return true
	}
	var victims []*list.Element
	young := r.order.Front()
	for ; young != nil && short > 0 && now.Sub(young.Value.(*kept).at) >= fetchTime; young = young.Next() {
		victims = append(victims, young)
		short -= young.Value.(*kept).size()
	}
	for e := young; e != nil && short > 0; e = e.Next() {
		if k := e.Value.(*kept); k.fetched {
			victims = append(victims, e)
			short -= k.size()
		}
	}
	if short > 0 {
		return false
	}
	for _, e := range victims {
		r.drop(e)
	}
	return true
}

func (r *Results) dropWhere(which func(*kept) bool) {
	for e := r.order.Front(); e != nil; {
		next := e.Next()
		if which(e.Value.(*kept)) {
			r.drop(e)
		}
		e = next
	}
}

// drop forgets one rendition. The caller holds mu.
func (r *Results) drop(e *list.Element) {
	k := r.order.Remove(e).(*kept)
	r.used -= k.size()
	delete(r.byPath, k.path)
	key := dirKey{k.path.Session, k.path.Dir}
	in := r.byDir[key]
	for i := range in {
		if in[i] == e {
			in = append(in[:i:i], in[i+1:]...)
			break
		}
	}
	if len(in) == 0 {
		delete(r.byDir, key)
	} else {
		r.byDir[key] = in
	}
}
