//go:build cgo

package database_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mattn/go-sqlite3"
	"go.uber.org/goleak"

	"github.com/tuttinode/tutti/core/database"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func busy(err error) bool {
	e, ok := errors.AsType[sqlite3.Error](err)
	return ok && e.Code == sqlite3.ErrBusy
}

func driver() database.Driver { return database.Driver{Name: "sqlite3", Busy: busy} }

func tables(steps ...string) database.Tables {
	return database.Tables{Owner: "thing", Content: "things", Steps: steps}
}

const one, two = `CREATE TABLE thing_a (n INTEGER) STRICT`, `CREATE TABLE thing_b (n INTEGER) STRICT`

func open(t *testing.T, dir string, tab database.Tables) *sql.DB {
	t.Helper()
	db, err := driver().Open(t.Context(), dir, tab.Migrate)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func TestStepsAreTakenOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	open(t, dir, tables(one))
	open(t, dir, tables(one, two))
	db := open(t, dir, tables(one, two))
	if _, err := db.ExecContext(t.Context(), `INSERT INTO thing_b (n) VALUES (1)`); err != nil {
		t.Error(err)
	}
	open(t, dir, database.Tables{Owner: "other", Content: "others",
		Steps: []string{`CREATE TABLE other_a (n INTEGER) STRICT`}})
}

func TestNewerTablesAreRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	open(t, dir, tables(one, two))
	_, err := driver().Open(t.Context(), dir, tables(one).Migrate)
	if err == nil || !strings.Contains(err.Error(),
		"the things in it are of a newer version of tutti (2, this one knows 1)") {
		t.Error(err)
	}
}

func TestABrokenStepLeavesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, err := driver().Open(t.Context(), dir, tables(one, "CREATE NONSENSE").Migrate)
	if err == nil || !strings.HasPrefix(err.Error(), "migration 2: ") {
		t.Fatal(err)
	}
	open(t, dir, tables(one, two))
	if _, err := driver().Open(t.Context(), t.TempDir(), database.Tables{Owner: "x; DROP"}.Migrate); err == nil {
		t.Error("any text names tables")
	}
}

func TestTheFileIsPrivate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, database.FileName)
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	open(t, dir, tables(one))
	for _, name := range []string{path, path + "-wal"} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
			t.Error(name, info, err)
		}
	}
}

func TestItWaitsForOthers(t *testing.T) {
	t.Parallel()
	var tries atomic.Int32
	db, err := driver().Open(t.Context(), t.TempDir(), func(context.Context, *sql.DB) error {
		if tries.Add(1) < 3 {
			return sqlite3.Error{Code: sqlite3.ErrBusy}
		}
		return nil
	})
	if err != nil || tries.Load() != 3 {
		t.Fatal(tries.Load(), err)
	}
	_ = db.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = driver().Open(ctx, t.TempDir(), func(context.Context,
		*sql.DB) error {
		return sqlite3.Error{Code: sqlite3.ErrBusy}
	})
	if !busy(err) {
		t.Error(err)
	}
}

func TestCommitsReachTheDisk(t *testing.T) {
	t.Parallel()
	db := open(t, t.TempDir(), tables(one))
	for pragma, want := range map[string]string{"synchronous": "2", "journal_mode": "wal", "foreign_keys": "1"} {
		var got string
		if err := db.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got); err != nil || got != want {
			t.Error(pragma, got, err)
		}
	}
}
