//go:build cgo

package migrate_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/migrate"
)

// A ticket that the books refuse holds no other up: they would expire.
func TestARefusedTicketHoldsNoOtherUp(t *testing.T) {
	t.Parallel()
	r := newRig(t, 4)
	for h := range r.old.tickets {
		r.books.refused = h
		break
	}
	r.run(r.outcomes(map[migrate.Outcome]int{migrate.Taken: 3, migrate.Staged: 1}))
}

// What was staged before is worth as much when the existing node's directory is gone.
func TestStagedTicketsOutliveTheirSource(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	left, err := reader.Read(t.Context(), r.old.dir)
	if err == nil {
		_, err = r.record.Stage(t.Context(), r.old.dir, left.Tickets, time.Now())
	}
	if err != nil {
		t.Fatal(err)
	}
	r.old.exec(t, r.old.open(t), `ALTER TABLE ticketQueue DROP COLUMN winProb`)
	r.run(r.outcomes(map[migrate.Outcome]int{migrate.Taken: 2}))
}

// SQLite's other files lie next to the database itself, wherever the directory's name
// for it leads.
func TestADatabaseBehindALink(t *testing.T) {
	t.Parallel()
	old := makeOld(t, 1)
	real := filepath.Join(t.TempDir(), "elsewhere.db")
	if err := os.Rename(old.db(), real); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, old.db()); err != nil {
		t.Fatal(err)
	}
	db := old.open(t)
	old.exec(t, db, `PRAGMA journal_mode = WAL`)
	old.win(t, db, "late", 77)
	if left, err := reader.Read(t.Context(), old.dir); err != nil || len(left.Tickets) != 2 {
		t.Errorf("%+v, %v", left, err)
	}
	if owner := migrate.Holder(old.dir); !strings.HasPrefix(owner, "process ") {
		t.Errorf("%q", owner)
	}
}
