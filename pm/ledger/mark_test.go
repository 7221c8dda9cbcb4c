//go:build cgo

package ledger_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/database"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
)

// memory is a mark that is kept for as long as a test.
type memory struct {
	mark ledger.Mark
	fail error
}

func (m *memory) Load() (ledger.Mark, bool, error) { return m.mark, m.mark.Ledger != "", nil }

func (m *memory) Store(mark ledger.Mark) error {
	if m.fail == nil {
		m.mark = mark
	}
	return m.fail
}

func (m *memory) options(o *ledger.Options) { o.Mark = m }

// keepCopy copies the file of books that nobody has open.
func keepCopy(t *testing.T, dir string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, database.FileName))
	must(t, err)
	return content
}

func putBack(t *testing.T, dir string, content []byte) {
	t.Helper()
	for _, suffix := range []string{"-wal", "-shm"} {
		_ = os.Remove(filepath.Join(dir, database.FileName+suffix))
	}
	must(t, os.WriteFile(filepath.Join(dir, database.FileName), content, 0o600))
}

// A copy is known for one whether it was made before the newest start or after it, and
// so are the newer books when they come back after the copy was used.
func TestOlderCopiesAreKnown(t *testing.T) {
	onlyFile(t)
	t.Parallel()
	dir, owner, mark := t.TempDir(), account(0, "stream"), &memory{}
	b := open(t, dir, mark.options)
	must(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{credit(owner, 0, 1)}}))
	must(t, b.stop())
	first := keepCopy(t, dir)
	b = open(t, dir, mark.options)
	if b.opening.Restored || !b.opening.Clean {
		t.Errorf("the newest: %+v", b.opening)
	}
	must(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{credit(owner, 1, 1)}}))
	must(t, b.stop())
	newest := keepCopy(t, dir)
	for _, c := range []struct {
		what    string
		content []byte
	}{{"a copy", first}, {"the newest after a copy", newest}} {
		putBack(t, dir, c.content)
		b = open(t, dir, mark.options)
		if o := b.opening; !o.Restored || o.Clean || !b.has(fault.LedgerRestored) {
			t.Errorf("%s: %+v, %v", c.what, o, b.board.Snapshot())
		}
		must(t, b.stop())
	}
	b = open(t, dir, mark.options)
	if b.opening.Restored || b.has(fault.LedgerRestored) {
		t.Errorf("the start after: %+v", b.opening)
	}
	must(t, b.stop())
	// Other books in the same directory are no copy.
	must(t, os.Remove(filepath.Join(dir, database.FileName)))
	if o := open(t, dir, mark.options).opening; o.Restored {
		t.Errorf("new books: %+v", o)
	}
}

// What was in accounts by a copy is not in use, also when the node is killed before it closed
// them and started again.
func TestMoneyOfACopyStaysAway(t *testing.T) {
	onlyFile(t)
	t.Parallel()
	dir, owner, mark := t.TempDir(), account(0, "stream"), &memory{}
	b := open(t, dir, mark.options)
	must(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{credit(owner, 0, 1)}}))
	must(t, b.stop())
	first := keepCopy(t, dir)
	must(t, open(t, dir, mark.options).stop())
	putBack(t, dir, first)
	for i := range 3 {
		b = open(t, dir, mark.options)
		if got := b.opening.Balances; len(got) != 1 || !got[0].Used.IsZero() || b.opening.Restored != (i == 0) {
			t.Errorf("start %d: %+v", i, b.opening)
		}
		must(t, b.stop())
	}
}

// Books that were copied within an epoch are known by their commits.
func TestACopyOfTheSameEpoch(t *testing.T) {
	onlyFile(t)
	t.Parallel()
	dir, owner, mark := t.TempDir(), account(0, "stream"), &memory{}
	b := open(t, dir, mark.options)
	_, err := b.db.ExecContext(t.Context(), `PRAGMA wal_checkpoint(TRUNCATE)`)
	must(t, err)
	running := keepCopy(t, dir)
	must(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{credit(owner, 0, 1)}}))
	must(t, b.stop())
	putBack(t, dir, running)
	if o := open(t, dir, mark.options).opening; !o.Restored {
		t.Errorf("%+v", o)
	}
}

// A mark that cannot be stored stops the start, and not the work.
func TestAMarkThatCannotBeStored(t *testing.T) {
	t.Parallel()
	dir, owner, mark := t.TempDir(), account(0, "stream"), &memory{}
	b := open(t, dir, mark.options)
	mark.fail = os.ErrPermission
	must(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{credit(owner, 0, 1)}}))
	must(t, b.stop())
	db := connect(t, dir)
	_, _, err := ledger.Open(context.Background(), ledger.Options{DB: db, Mark: mark, Rand: seeded(1), Now: time.Now,
		Board: b.board, Log: slog.New(slog.DiscardHandler)})
	want(t, err, fault.LedgerFailed)
}

// A mark that cannot be read stops the start by a name of its own: the books are whole.
func TestAMarkThatCannotBeRead(t *testing.T) {
	t.Parallel()
	db := connect(t, t.TempDir())
	_, _, err := ledger.Open(context.Background(), ledger.Options{DB: db, Mark: unreadable{}, Rand: seeded(1),
		Now: time.Now, Board: health.New(slog.New(slog.DiscardHandler), time.Now, nil), Log: slog.New(slog.DiscardHandler)})
	want(t, err, fault.LedgerMarkDamaged)
}

// unreadable is a mark whose file holds something else.
type unreadable struct{}

func (unreadable) Load() (m ledger.Mark, found bool, err error) { return m, false, os.ErrInvalid }
func (unreadable) Store(ledger.Mark) error                      { return nil }
