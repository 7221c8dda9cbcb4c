package nodedb_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/tuttinode/tutti/cmd/tutti/nodedb"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm/ledger"
	"github.com/tuttinode/tutti/test/postgres"
)

var server = postgres.Shared{Durable: true}

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	status := m.Run()
	server.Stop()
	if err := goleak.Find(); err != nil && status == 0 {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return status
}

func parse(t *testing.T, address string) *nodedb.Store {
	t.Helper()
	s, err := nodedb.ParseStore(address)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func closed(t *testing.T, db *sql.DB) *sql.DB {
	t.Helper()
	t.Cleanup(func() { _ = db.Close() })
	return db
}

const secret = "hunter2hunter2"

// What is wrong with an address, and what a connection meets, never shows what is in it.
func TestNothingOfTheAddressIsTold(t *testing.T) {
	t.Parallel()
	words := []string{secret, "somebody", "db.invalid", "127.0.0.1"}
	var texts []string
	for _, address := range []string{
		"", "mysql://somebody:" + secret + "@db.invalid/x", "postgres://somebody:" + secret + "@db.invalid:port/x",
		"postgres://somebody:" + secret + "@db.invalid/x?sslmode=perhaps",
		"postgres://somebody:" + secret + "@db.invalid/x?book=A-b",
	} {
		_, err := nodedb.ParseStore(address)
		if !errors.Is(err, fault.StoreAddress) {
			t.Errorf("%s: %v", address, err)
			continue
		}
		texts = append(texts, err.Error())
	}
	for _, address := range []string{"postgres://somebody:" + secret + "@127.0.0.1:1/x",
		"postgres://somebody:" + secret + "@db.invalid/x"} {
		db := closed(t, parse(t, address+"?sslmode=disable&connect_timeout=2").SharedReader())
		err := db.PingContext(t.Context())
		if err == nil || !nodedb.StoreLost(err) || !nodedb.StoreTransient(err) {
			t.Errorf("%v", err)
			continue
		}
		texts = append(texts, err.Error())
	}
	for _, text := range texts {
		for _, word := range words {
			if strings.Contains(text, word) {
				t.Errorf("%q shows %q", text, word)
			}
		}
	}
}

func TestTheServersRefusalsAreClean(t *testing.T) {
	t.Parallel()
	address := server.Server(t).Address()
	for from, to := range map[string]string{"/postgres?": "/nothing_there?", "postgres@": "nobody_here@"} {
		db := closed(t, parse(t, strings.Replace(address, from, to, 1)).SharedReader())
		err := db.PingContext(t.Context())
		if err == nil || strings.Contains(err.Error(), "nothing_there") || strings.Contains(err.Error(), "nobody_here") ||
			!nodedb.StoreLost(err) {
			t.Errorf("%s: %v", to, err)
		}
	}
}

func TestOneWriterEach(t *testing.T) {
	t.Parallel()
	address := server.Server(t).Database(t)
	first := closed(t, parse(t, address+"&book=a").Writer())
	if err := first.PingContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := closed(t, parse(t, address+"&book=b").Writer()).PingContext(t.Context()); err != nil {
		t.Error(err)
	}
	second := closed(t, parse(t, address+"&book=a").Writer())
	if err := second.PingContext(t.Context()); !errors.Is(err, fault.StoreBookInUse) ||
		!strings.Contains(err.Error(), "the book a") {
		t.Error(err)
	}
	// What was refused is gone, and takes no place at the server.
	reader := closed(t, parse(t, address).SharedReader())
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for open := 0; open != 1; { // the server ends a connection a moment after its client does
		if err := reader.QueryRowContext(ctx, `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND application_name = 'tutti a'`).Scan(&open); err != nil {
			t.Fatal(open, err)
		}
	}
	_ = first.Close()
	if err := second.PingContext(t.Context()); err != nil {
		t.Error(err)
	}
}

// A connection that the server does not know to be gone is ended by the next of the
// same process.
func TestALostConnectionIsReplaced(t *testing.T) {
	t.Parallel()
	s := parse(t, server.Server(t).Database(t)+"&book=a")
	db := closed(t, s.Writer())
	var pid int
	if err := db.QueryRowContext(t.Context(), `SELECT pg_backend_pid()`).Scan(&pid); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := db.ExecContext(ctx, `SELECT pg_sleep(60)`); err == nil || !nodedb.StoreLost(err) {
		t.Error(err)
	}
	var now int
	if err := db.QueryRowContext(t.Context(), `SELECT pg_backend_pid()`).Scan(&now); err != nil || now == pid {
		t.Error(now, pid, err)
	}
}

func TestUnsafeSettings(t *testing.T) {
	t.Parallel()
	address := server.Server(t).Database(t)
	db := closed(t, parse(t, address+"&synchronous_commit=off&book=a").Writer())
	if err := db.PingContext(t.Context()); !errors.Is(err, fault.StoreUnsafe) {
		t.Error(err)
	}
}

func TestBooksOfOneRecipient(t *testing.T) {
	t.Parallel()
	address := server.Server(t).Database(t)
	for i, want := range []error{nil, fault.StoreForeign} {
		s := parse(t, fmt.Sprintf("%s&book=n%d", address, i))
		err := ledger.OpenBook(t.Context(), closed(t, s.Writer()),
			ledger.Book{Name: s.Book, Recipient: core.Address{byte(i + 1)}}, time.Now())
		if !errors.Is(err, want) {
			t.Errorf("%d: %v", i, err)
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name := func() (string, error) {
		s := parse(t, "postgres://x/y")
		err := s.Name(dir)
		return s.Book, err
	}
	first, err := name()
	if again, err2 := name(); err != nil || err2 != nil || first != again || !ledger.BookName(first) {
		t.Error(first, again, err, err2)
	}
	if info, err := os.Stat(filepath.Join(dir, "book")); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "book"), []byte("; DROP"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := name(); !errors.Is(err, fault.StoreAddress) {
		t.Error(err)
	}
	if err := parse(t, "postgres://x/y").Known(t.TempDir()); !errors.Is(err, fault.LedgerAbsent) {
		t.Error(err)
	}
}

// What a refused connection reports names no user, whatever the server's reason is.
func TestNoRoomForAConnection(t *testing.T) {
	t.Parallel()
	address := server.Server(t).Database(t)
	admin := closed(t, parse(t, address+"&book=admin").Writer())
	role := fmt.Sprintf("crowded_%d", time.Now().UnixNano())
	if _, err := admin.ExecContext(t.Context(), `CREATE ROLE `+role+` LOGIN CONNECTION LIMIT 0`); err != nil {
		t.Fatal(err)
	}
	db := closed(t, parse(t, strings.Replace(address, "postgres@", role+"@", 1)).SharedReader())
	err := db.PingContext(t.Context())
	if err == nil || !nodedb.StoreLost(err) || strings.Contains(err.Error(), role) ||
		strings.Contains(err.Error(), "127.0.0.1") || strings.Contains(err.Error(), "test_") {
		t.Error(err)
	}
}

// A machine that fell silent gives its locks up soon.
func TestSilenceIsNoticed(t *testing.T) {
	t.Parallel()
	s := parse(t, server.Server(t).Database(t)+"&book=a")
	for name, db := range map[string]*sql.DB{"writer": s.Writer(), "leader": s.Leader()} {
		var idle, count string
		err := closed(t, db).QueryRowContext(t.Context(),
			`SELECT current_setting('tcp_keepalives_idle'), current_setting('tcp_keepalives_count')`).Scan(&idle, &count)
		if err != nil || idle != "8" || count != "3" {
			t.Errorf("%s: idle %s, count %s, %v", name, idle, count, err)
		}
	}
}

// Behind a pool a lock is whose turn it is, and not the node's.
func TestAPoolIsRefused(t *testing.T) {
	t.Parallel()
	u, err := url.Parse(server.Server(t).Database(t))
	if err != nil {
		t.Fatal(err)
	}
	u.Host = pool(t, u.Host)
	s := parse(t, u.String()+"&book=a")
	for name, db := range map[string]*sql.DB{"writer": s.Writer(), "leader": s.Leader()} {
		if err := closed(t, db).PingContext(t.Context()); !errors.Is(err, fault.StoreUnsafe) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
