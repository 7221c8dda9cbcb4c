package money

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the shared database

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/database"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/test/postgres"
)

// sharedStore is a database server for ledgers, and a file with its address.
type sharedStore struct {
	address, file string
}

func newSharedStore(t *testing.T) *sharedStore {
	t.Helper()
	dir, err := postgres.Directory()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	server, err := postgres.New(dir, true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Stop(true) })
	s := &sharedStore{address: server.Database(t), file: filepath.Join(t.TempDir(), "store")}
	s.use(t, s.address)
	return s
}

// use has the file lead to a database.
func (s *sharedStore) use(t *testing.T, address string) {
	t.Helper()
	if err := os.WriteFile(s.file, []byte(address+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// move runs `tutti ledger move`.
func (w *world) move(store string) (string, int) {
	w.Helper()
	conf := filepath.Join(w.TempDir(), "tutti.conf")
	w.must(os.WriteFile(conf, fmt.Appendf(nil, "ethOrchAddr %s\n", w.account), 0o600))
	return harness.Output(w.T, filepath.Join(bin, "tutti"), "ledger", "move", "-network", "devnet", "-dataDir", w.dir,
		"-store", store, "-config", conf)
}

// refuses starts the node and wants it to end with a fault.
func (w *world) refuses(code fault.Code, args ...string) {
	w.Helper()
	p := harness.Start(w.T, filepath.Join(bin, "tutti"), append(append([]string(nil), w.args...), args...)...)
	if status := p.Exit(30 * time.Second); status == 0 || !strings.Contains(p.Log(), string(code)) {
		w.Errorf("it ended with status %d and without %s:\n%s", status, code, p.Log())
	}
}

// TestMovedLedgerIsNotOpenedAgain: after `tutti ledger move` neither the file nor an
// older copy of it takes tickets, and the books go on in the database alone.
func TestMovedLedgerIsNotOpenedAgain(t *testing.T) {
	t.Parallel()
	w, s := newWorld(t), newSharedStore(t)
	p := w.newPayer(5)
	p.served(4)
	w.stop()
	older := filepath.Join(t.TempDir(), database.FileName)
	copyFile(t, w.database(), older)
	if text, status := w.move(s.file); status != 0 {
		t.Fatalf("tutti ledger move: %d\n%s", status, text)
	}
	w.refuses(fault.LedgerMoved)
	for _, suffix := range []string{"-wal", "-shm"} {
		_ = os.Remove(w.database() + suffix)
	}
	copyFile(t, older, w.database())
	w.refuses(fault.LedgerMoved)
	if text, status := w.move(s.file); status != 0 {
		t.Errorf("the same move once more, as after an interruption: %d\n%s", status, text)
	}
	w.start("-store", s.file)
	if status, text := p.ask(p.paid, p.pay(p.paid, 0), "Count.", 3); status != 200 {
		t.Errorf("with what was paid before the move: %d %s", status, text)
	}
}

// TestRestoredStoreCreditsNothingAgain: the same as with a file, where the database
// server was set back to an older state between two runs of the node.
func TestRestoredStoreCreditsNothingAgain(t *testing.T) {
	t.Parallel()
	s := newSharedStore(t)
	w := newWorld(t, "-store", s.file)
	p := w.newPayer(5)
	p.served(4)
	w.stop()
	older := copyDatabase(t, s.address)
	w.start()
	if status, text := p.ask(p.paid, p.pay(p.paid, 0), "Count.", 3); status != 200 {
		t.Fatalf("with what was left: %d %s", status, text)
	}
	info := p.offer(wants(capability.LLM))
	payment := p.pay(info, 20)
	if status, text := p.ask(info, payment, "Count.", 3); status != 200 {
		t.Fatalf("%d %s", status, text)
	}
	w.stop()
	s.use(t, older)
	w.start()
	if !w.has(fault.LedgerRestored) {
		t.Error("no condition says that the books are an older copy")
	}
	if status, text := p.ask(info, payment, "Count.", 3); status == 200 {
		t.Errorf("tickets that were credited before: %d %s", status, text)
	}
	if status, text := p.ask(p.paid, p.pay(p.paid, 0), "Count.", 3); status == 200 ||
		!strings.Contains(text, "Insufficient balance") {
		t.Errorf("with a balance that was spent before: %d %s", status, text)
	}
}

// copyDatabase makes a copy of a database that no process uses and returns its address.
func copyDatabase(t *testing.T, address string) string {
	t.Helper()
	to, err := postgres.DatabaseAt(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	from, into := databaseName(address), databaseName(to)
	db, err := sql.Open("pgx", strings.Replace(address, "/"+from, "/postgres", 1))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for _, statement := range []string{"DROP DATABASE " + into, "CREATE DATABASE " + into + " TEMPLATE " + from} {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	return to
}

// databaseName is the part of an address that names the database.
func databaseName(address string) string {
	name, _, _ := strings.Cut(address[strings.LastIndex(address, "/")+1:], "?")
	return name
}
