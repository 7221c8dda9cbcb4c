//go:build cgo

package ledger_test

import (
	"database/sql"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/tuttinode/tutti/cmd/tutti/nodedb"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/pm/ledger"
	"github.com/tuttinode/tutti/test/postgres"
)

// onStore is the address of a server on which the tests of this package run once more.
const onStore = "TUTTI_LEDGER_TEST_STORE"

// onPostgres reports whether this process is the one that has them on PostgreSQL.
func onPostgres() bool { return os.Getenv(onStore) != "" }

// onlyFile is for tests of what only a file does.
func onlyFile(t *testing.T) {
	t.Helper()
	if onPostgres() {
		t.Skip("about a database in a file")
	}
}

// writers are who wrote the books of directories last.
var writers sync.Map

// lost knows no lost connections of a file.
func lost(err error) bool { return onPostgres() && nodedb.StoreLost(err) }

// TestAllOnPostgres runs the tests of this package once more, on PostgreSQL.
func TestAllOnPostgres(t *testing.T) {
	t.Parallel()
	if onPostgres() {
		t.Skip("it does")
	}
	dir, err := postgres.Directory()
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	server, err := postgres.New(dir, true)
	must(t, err)
	t.Cleanup(func() { server.Stop(true) })
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.parallel=8", "-test.short", "-rapid.checks=20",
		"-rapid.nofailfile")
	cmd.Env = append(os.Environ(), onStore+"="+server.Address())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
}

// storeOf is the database that a directory stands for.
func storeOf(t testing.TB, dir string) *nodedb.Store {
	t.Helper()
	path := filepath.Join(dir, "address")
	address, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		text, err := postgres.DatabaseAt(t.Context(), os.Getenv(onStore))
		must(t, err)
		must(t, os.WriteFile(path, []byte(text), 0o600))
		address = []byte(text)
	}
	s, err := nodedb.ParseStore(string(address) + "&book=test")
	must(t, err)
	return s
}

// readStore is a reader of its own.
func readStore(t testing.TB, dir string) *sql.DB {
	t.Helper()
	return storeOf(t, dir).BookReader()
}

// connectStore is connect on PostgreSQL: a directory stands for a database.
func connectStore(t testing.TB, dir string) *sql.DB {
	t.Helper()
	s := storeOf(t, dir)
	if before, ok := writers.Load(dir); ok { // two never write: the one before has crashed
		_ = before.(*sql.DB).Close()
	}
	db := s.Writer()
	writers.Store(dir, db)
	t.Cleanup(func() { _ = db.Close() })
	must(t, ledger.OpenBook(t.Context(), db, ledger.Book{Name: s.Book, Recipient: core.Address{1}, Host: "here"}, start))
	return db
}

// BenchmarkOnPostgres runs the benchmarks of appends once more, on PostgreSQL.
func BenchmarkOnPostgres(b *testing.B) {
	if onPostgres() {
		b.Skip("it does")
	}
	dir, err := postgres.Directory()
	must(b, err)
	b.Cleanup(func() { _ = os.RemoveAll(dir) })
	server, err := postgres.New(dir, true)
	must(b, err)
	b.Cleanup(func() { server.Stop(true) })
	cmd := exec.CommandContext(b.Context(), os.Args[0], "-test.run=^$", "-test.bench=^Benchmark(Append|Paced)$",
		"-test.benchtime=3000x")
	cmd.Env = append(os.Environ(), onStore+"="+server.Address())
	out, err := cmd.CombinedOutput()
	must(b, err)
	b.Logf("%s", out)
}
