package txmgr_test

import (
	"errors"
	"reflect"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/txmgr"
)

func adopt(t *testing.T, s *txmgr.JournalStore, genesis byte, changes bool) {
	t.Helper()
	if changed, err := s.SelectChain(t.Context(), protocol.Hash{genesis}); changed != changes || err != nil {
		t.Fatal(changed, err)
	}
}

func TestEachChainHasItsOwnRecords(t *testing.T) {
	t.Parallel()
	s, db := open(t, t.TempDir(), 1)
	first := []txmgr.Record{ended(1, "a", protocol.TxFinal), record(2, "b")}
	first[1].Attempts = append(first[1].Attempts, txmgr.JournalAttempt{Hash: protocol.TxHash{9}, Raw: []byte{8},
		Repriced: true, Signed: at})
	put(t, s, first...)
	other, err := txmgr.OpenJournal(t.Context(), db, 42161, core.Address{2})
	if err != nil {
		t.Fatal(err)
	}
	put(t, other, record(1, "x"))
	// What is of no known chain is of the first.
	adopt(t, s, 1, false)
	adopt(t, s, 1, false)
	if got := load(t, s); !reflect.DeepEqual(got, first) {
		t.Fatalf("%+v", got)
	}
	adopt(t, s, 2, true)
	if got := load(t, s); len(got) != 0 {
		t.Fatalf("%+v", got)
	}
	if _, ok, err := s.Find(t.Context(), "a"); ok || err != nil {
		t.Fatal("done on another chain", err)
	}
	second := []txmgr.Record{record(1, "c")}
	put(t, s, second...)
	for range 2 {
		adopt(t, s, 1, true)
		if got := load(t, s); !reflect.DeepEqual(got, first) {
			t.Fatalf("%+v", got)
		}
		adopt(t, s, 2, true)
		if got := load(t, s); !reflect.DeepEqual(got, second) {
			t.Fatalf("%+v", got)
		}
	}
	if got := load(t, other); len(got) != 1 {
		t.Error("another account's records are set aside too")
	}
}

func TestAFailedChangeOfChainChangesNothing(t *testing.T) {
	t.Parallel()
	s, db := open(t, t.TempDir(), 1)
	adopt(t, s, 1, false)
	put(t, s, record(1, "a"), record(2, ""))
	if _, err := db.ExecContext(t.Context(),
		`CREATE TRIGGER no BEFORE INSERT ON journal_attempt_past WHEN new.id = 2 BEGIN SELECT raise(ABORT, 'no'); `+
			`END`); err != nil {
		t.Fatal(err)
	}
	if _, err := s.SelectChain(t.Context(), protocol.Hash{2}); !errors.Is(err, fault.TxJournalFailed) {
		t.Fatal(err)
	}
	if got := load(t, s); len(got) != 2 {
		t.Error(got)
	}
	adopt(t, s, 1, false)
}
