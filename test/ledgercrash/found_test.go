package ledgercrash

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
)

// found is what a ledger finds that is opened on what a power cut left.
type found struct {
	once    sync.Once
	opening pm.Opening
	seen    seen
	err     error
}

// openings are what ledgers found on disks. Many power cuts leave the same bytes, of
// which a ledger makes the same: each disk is opened once, and checked for every cut.
type openings struct {
	mu    sync.Mutex
	known map[[sha256.Size]byte]*found // guarded by mu
}

func newOpenings() *openings { return &openings{known: make(map[[sha256.Size]byte]*found)} }

// of opens a ledger on files, unless one was.
func (o *openings) of(t *testing.T, files map[string][]byte) *found {
	t.Helper()
	key := digest(files)
	o.mu.Lock()
	f := o.known[key]
	if f == nil {
		f = new(found)
		o.known[key] = f
	}
	o.mu.Unlock()
	f.once.Do(func() { f.open(t, files) })
	return f
}

func digest(files map[string][]byte) (key [sha256.Size]byte) {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		for _, part := range [][]byte{[]byte(name), files[name]} {
			_ = binary.Write(h, binary.BigEndian, int64(len(part))) // a hash has no errors
			h.Write(part)
		}
	}
	h.Sum(key[:0])
	return key
}

func (f *found) open(t *testing.T, files map[string][]byte) {
	t.Helper()
	d := newDisk()
	d.files = files
	db := connect(t, d, full)
	defer func() { _ = disconnect(db, d) }()
	var l *ledger.Ledger
	if l, f.opening, f.err = ledger.Open(t.Context(), options(db, 2)); f.err == nil {
		f.seen, f.err = see(t.Context(), l.Reader)
	}
}
