package txmgr_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"reflect"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/mattn/go-sqlite3"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/database"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/txmgr"
)

// envDir has the test program write until it is killed.
const envDir = "TUTTI_TEST_JOURNAL"

func openDB(ctx context.Context, dir string) (*sql.DB, error) {
	d := database.Driver{Name: "sqlite3", Busy: func(err error) bool {
		e, ok := errors.AsType[sqlite3.Error](err)
		return ok && e.Code == sqlite3.ErrBusy
	}}
	return d.Open(ctx, dir, func(context.Context, *sql.DB) error { return nil })
}

func open(t *testing.T, dir string, account byte) (*txmgr.JournalStore, *sql.DB) {
	t.Helper()
	db, err := openDB(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	s, err := txmgr.OpenJournal(t.Context(), db, 42161, core.Address{account})
	if err != nil {
		t.Fatal(err)
	}
	return s, db
}

var at = time.Date(2026, 3, 4, 5, 6, 7, 8, time.UTC)

func record(id uint64, once string) txmgr.Record {
	big, _ := new(big.Int).SetString("115792089237316195423570985008687907853269984665640564039457584007913129639935", 10)
	return txmgr.Record{
		ID: id, Nonce: id + 100, Once: once, Until: 7, Gas: 8, State: protocol.TxSubmitted, Sent: at,
		Update: at.Add(time.Second),
		Call: txmgr.JournalCall{Verb: "reward", About: "call reward", Addr: common.Address{1}, Input: []byte{2, 3},
			Wei: big},
		Attempts: []txmgr.JournalAttempt{{Hash: protocol.TxHash{byte(id), 1}, Raw: []byte{9, 9}, Signed: at}},
	}
}

func ended(id uint64, once string, state protocol.TxState) txmgr.Record {
	r := record(id, once)
	r.State, r.Settled = state, true
	return r
}

func put(t *testing.T, s *txmgr.JournalStore, records ...txmgr.Record) {
	t.Helper()
	if err := s.Put(t.Context(), records...); err != nil {
		t.Fatal(err)
	}
}

func load(t *testing.T, s *txmgr.JournalStore) []txmgr.Record {
	t.Helper()
	records, err := s.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return records
}

func TestRecordsComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, _ := open(t, dir, 1)
	first, second := record(1, "a"), record(2, "")
	second.Call.Input, second.Call.Wei = []byte{}, new(big.Int)
	put(t, s, first, second)
	first.State, first.Code, first.Reason, first.Resent = protocol.TxFailed, fault.TxReverted, "why", false
	first.Attempts = append(first.Attempts, txmgr.JournalAttempt{Hash: protocol.TxHash{1, 2}, Raw: []byte{8}, Cancel: true,
		Repriced: true, Signed: at.Add(time.Minute)})
	first.Mined = &txmgr.JournalMined{Attempt: 1, Block: 5, Hash: protocol.Hash{6}, GasUsed: 7, Fee: core.NewWei(8),
		At: at}
	first.Update = at.Add(time.Hour)
	put(t, s, first)
	again, _ := open(t, dir, 1)
	if got := load(t, again); !reflect.DeepEqual(got, []txmgr.Record{first, second}) {
		t.Errorf("%+v", got)
	}
	if got, ok, err := again.Find(t.Context(), "a"); !ok || err != nil || !reflect.DeepEqual(got, first) {
		t.Errorf("%+v %v", got, err)
	}
	first.Mined, first.State, first.Code, first.Reason = nil, protocol.TxSubmitted, "", ""
	put(t, s, first)
	if got := load(t, s)[0]; !reflect.DeepEqual(got, first) {
		t.Errorf("%+v", got)
	}
}

func TestFindTakesTheNewest(t *testing.T) {
	t.Parallel()
	s, _ := open(t, t.TempDir(), 1)
	put(t, s, ended(1, "a", protocol.TxFailed), record(2, "a"), record(3, "b"), record(4, ""))
	if got, ok, err := s.Find(t.Context(), "a"); got.ID != 2 || !ok || err != nil {
		t.Error(got.ID, ok, err)
	}
	for _, none := range []string{"", "c"} {
		if _, ok, err := s.Find(t.Context(), none); ok || err != nil {
			t.Error(none, ok, err)
		}
	}
}

func TestAccountsDoNotMix(t *testing.T) {
	t.Parallel()
	s, db := open(t, t.TempDir(), 1)
	put(t, s, record(1, "a"))
	for _, other := range []struct {
		chain   uint64
		account core.Address
	}{{42161, core.Address{2}}, {1, core.Address{1}}} {
		o, err := txmgr.OpenJournal(t.Context(), db, other.chain, other.account)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok, _ := o.Find(t.Context(), "a"); ok || len(load(t, o)) != 0 {
			t.Error("another account's transactions")
		}
		put(t, o, record(1, "x"))
	}
	if got := load(t, s); len(got) != 1 || got[0].Once != "a" {
		t.Error(got)
	}
}

func TestTheHistoryIsBounded(t *testing.T) {
	t.Parallel()
	s, db := open(t, t.TempDir(), 1)
	put(t, s, record(1, ""), ended(2, "done", protocol.TxFinal), ended(3, "failed", protocol.TxFailed))
	for id := uint64(4); id < 4+txmgr.JournalKept; id++ {
		put(t, s, ended(id, "", protocol.TxFinal))
	}
	got := load(t, s)
	if len(got) != txmgr.JournalKept+1 || got[0].ID != 1 || got[1].ID != 4 {
		t.Error(len(got), got[0].ID, got[1].ID)
	}
	if r, ok, err := s.Find(t.Context(), "done"); !ok || err != nil || r.State != protocol.TxFinal ||
		len(r.Attempts) != 1 || len(r.Attempts[0].Raw) != 0 || r.Attempts[0].Hash != (protocol.TxHash{2, 1}) {
		t.Errorf("%+v %v %v", r, ok, err)
	}
	if _, ok, _ := s.Find(t.Context(), "failed"); ok {
		t.Error("a failure is kept forever")
	}
	var attempts int
	if err := db.QueryRowContext(t.Context(), `SELECT count(*) FROM journal_attempt`).Scan(&attempts); err != nil ||
		attempts != txmgr.JournalKept+2 {
		t.Error(attempts, err)
	}
}

func TestPutIsAllOrNothing(t *testing.T) {
	t.Parallel()
	s, db := open(t, t.TempDir(), 1)
	if _, err := db.ExecContext(t.Context(),
		`CREATE TRIGGER no BEFORE INSERT ON journal_tx WHEN new.id = 2 BEGIN SELECT raise(ABORT, 'no'); END`); err != nil {
		t.Fatal(err)
	}
	if err := s.Put(t.Context(), record(1, ""), record(2, "")); !errors.Is(err, fault.TxJournalFailed) {
		t.Fatal(err)
	}
	if got := load(t, s); len(got) != 0 {
		t.Error(got)
	}
	_ = db.Close()
	if _, err := s.Load(t.Context()); !errors.Is(err, fault.TxJournalFailed) {
		t.Error(err)
	}
	if _, _, err := s.Find(t.Context(), "a"); !errors.Is(err, fault.TxJournalFailed) {
		t.Error(err)
	}
}

// writeForEver prints the number of each record that Put said is on disk.
func writeForEver(dir string) {
	db, err := openDB(context.Background(), dir)
	if err != nil {
		panic(err)
	}
	s, err := txmgr.OpenJournal(context.Background(), db, 42161, core.Address{1})
	for id := uint64(1); err == nil; id++ {
		if err = s.Put(context.Background(), record(id, fmt.Sprint(id))); err == nil {
			fmt.Println(id)
		}
	}
	panic(err)
}

func TestAKilledProcessForgetsNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for round := range 3 {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), envDir+"="+dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var last uint64
		for last < uint64(20+10*round) {
			if _, err := fmt.Fscanln(out, &last); err != nil {
				t.Fatal(err)
			}
		}
		_ = cmd.Process.Kill()
		for {
			if _, err := fmt.Fscanln(out, &last); err != nil {
				break
			}
		}
		_ = cmd.Wait()
		s, _ := open(t, dir, 1)
		if got := load(t, s); uint64(len(got)) < last || !reflect.DeepEqual(got[last-1], record(last, fmt.Sprint(last))) {
			t.Fatalf("%d records, %d were promised", len(got), last)
		}
	}
}
