package ledgercrash

import (
	"bytes"
	"math/rand/v2"
)

// fate is what a power cut does to what was not synced.
type fate int

const (
	dropped fate = iota
	kept
	some
	torn
	fates
)

func (f fate) String() string { return [...]string{"dropped", "kept", "some", "torn"}[f] }

// platter follows a history and knows what of it is safe: per file what was synced,
// and what happened since.
type platter struct {
	safe    map[string][]byte
	pending map[string][]event
	// order is that of the files, so that runs repeat.
	order []string
}

func newPlatter() *platter {
	return &platter{safe: make(map[string][]byte), pending: make(map[string][]event)}
}

// follow takes one more event. A sync makes what happened to its file safe, and to
// no other; that of the directory makes removals safe.
func (p *platter) follow(e event) {
	if _, ok := p.pending[e.file]; !ok {
		p.order = append(p.order, e.file)
		p.pending[e.file] = nil
	}
	switch e.verb {
	case flush:
		p.keep(e.file, len(p.pending[e.file]))
	case flushNames:
		for name, pending := range p.pending {
			p.keep(name, 1+lastRemoval(pending))
		}
	default:
		p.pending[e.file] = append(p.pending[e.file], e)
	}
}

// keep makes the oldest events of a file safe.
func (p *platter) keep(name string, n int) {
	for _, done := range p.pending[name][:n] {
		done.apply(p.safe)
	}
	p.pending[name] = p.pending[name][n:]
}

// lastRemoval is where a file was removed last, -1 for nowhere.
func lastRemoval(events []event) int {
	for i := len(events) - 1; i >= 0; i-- {
		if events[i].verb == remove {
			return i
		}
	}
	return -1
}

// cut is what a power cut leaves.
func (p *platter) cut(f fate, r *rand.Rand) map[string][]byte {
	files := make(map[string][]byte)
	for name, content := range p.safe {
		files[name] = bytes.Clone(content)
	}
	for _, name := range p.order {
		for _, e := range p.pending[name] {
			switch {
			case f == kept, f == some && r.IntN(2) == 0:
				e.apply(files)
			case f == torn && r.IntN(3) > 0:
				e.torn(files, r)
			}
		}
	}
	return files
}
