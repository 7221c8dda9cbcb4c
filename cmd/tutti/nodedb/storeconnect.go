package nodedb

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/tuttinode/tutti/core/database"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm/ledger"
)

// lockPatience is how long a new connection waits for a lock that the connection
// before it may still have.
const lockPatience = 3 * time.Second

// Writer returns the connection that writes the book. There is one, and while it stands
// no other process writes the book. Errors of its statements tell of a connection that
// could not be made, among them StoreBookInUse and StoreUnsafe.
func (s *Store) Writer() *sql.DB {
	last := new(backend)
	db := s.open(ledger.BookPath(s.Book), func(ctx context.Context, c *pgx.Conn) error {
		if err := safe(ctx, c); err != nil {
			return err
		}
		return last.lock(ctx, c, ledger.BookLock(s.Book), func() error {
			return fault.New(fault.StoreBookInUse, "open the book", "another process has the book "+s.Book)
		})
	})
	db.SetMaxOpenConns(1)
	return db
}

// Leader returns the connection of the node that redeems the winning tickets of all books. The node that
// does not get it, gets the fault StoreNotLeading.
func (s *Store) Leader() *sql.DB {
	db := s.open(ledger.SharedPath, func(ctx context.Context, c *pgx.Conn) error {
		if err := safe(ctx, c); err != nil {
			return err
		}
		got, err := try(ctx, c, ledger.LeaderLock())
		if err == nil && !got {
			err = fault.New(fault.StoreNotLeading, "redeem for all books", "another node does")
		}
		return err
	})
	db.SetMaxOpenConns(1)
	return db
}

// BookReader reads the book, and nothing but what one book has.
func (s *Store) BookReader() *sql.DB { return s.open(ledger.BookPath(s.Book), readOnly) }

// SharedReader reads what the books share: all winning tickets.
func (s *Store) SharedReader() *sql.DB { return s.open(ledger.SharedPath, readOnly) }

func readOnly(ctx context.Context, c *pgx.Conn) error {
	_, err := c.Exec(ctx, `SET default_transaction_read_only = on`)
	return err
}

func (s *Store) open(path string, prepare func(context.Context, *pgx.Conn) error) *sql.DB {
	config := s.config.Copy()
	config.RuntimeParams["search_path"] = path
	config.RuntimeParams["application_name"] = "tutti " + s.Book
	// A process that hangs with a transaction open would hold up all nodes.
	config.RuntimeParams["idle_in_transaction_session_timeout"] = "60000"
	// A machine that lost its power says nothing: the server is to notice soon, because
	// the locks of that machine's connections keep all others waiting.
	config.RuntimeParams["tcp_keepalives_idle"] = seconds(silence().Idle)
	config.RuntimeParams["tcp_keepalives_interval"] = seconds(silence().Interval)
	config.RuntimeParams["tcp_keepalives_count"] = strconv.Itoa(silence().Count)
	config.DialFunc = (&net.Dialer{KeepAliveConfig: silence()}).DialContext
	// The pool makes some connections for no caller, without an end. A server that is there and does not answer would
	// have the only one made forever.
	patience := 2*config.ConnectTimeout + lockPatience
	connector := stdlib.GetConnector(*config, stdlib.OptionAfterConnect(func(ctx context.Context, c *pgx.Conn) error {
		limited, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		err := prepare(limited, c)
		if err == nil {
			return nil
		}
		// The driver forgets it, and its locks would stay.
		closing, closed := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer closed()
		_ = c.Close(closing)
		return err
	}))
	return sql.OpenDB(database.Translated(connector, clean))
}

// silence is when either side takes the other for gone: after twenty seconds.
func silence() net.KeepAliveConfig {
	return net.KeepAliveConfig{Enable: true, Idle: 8 * time.Second, Interval: 4 * time.Second, Count: 3}
}

func seconds(d time.Duration) string { return strconv.Itoa(int(d / time.Second)) }

// safe refuses a database whose commits do not reach its disk.
func safe(ctx context.Context, c *pgx.Conn) error {
	for _, setting := range []string{"fsync", "synchronous_commit", "full_page_writes"} {
		var value string
		if err := c.QueryRow(ctx, `SELECT current_setting($1)`, setting).Scan(&value); err != nil {
			return err
		}
		if value == "off" {
			return fault.New(fault.StoreUnsafe, "open the database", fmt.Sprintf("its %s is %s", setting, value))
		}
	}
	var standby bool
	if err := c.QueryRow(ctx, `SELECT pg_is_in_recovery()`).Scan(&standby); err != nil {
		return err
	}
	if standby {
		return fault.New(fault.StoreUnreachable, "open the database", "it is a standby that takes no writes")
	}
	return nil
}

// try takes a lock if it is free. It must be this connection's own: behind a pool
// that gives every transaction another connection, or on a server that only pretends
// to have such locks, two nodes would write one book.
func try(ctx context.Context, c *pgx.Conn, key int64) (got bool, err error) {
	if err := c.QueryRow(ctx, `SELECT pg_try_advisory_lock($1)`, key).Scan(&got); err != nil || !got {
		return false, err
	}
	var pid int64
	var kept bool
	err = c.QueryRow(ctx, `SELECT pg_backend_pid(), EXISTS (SELECT 1 FROM pg_locks
		WHERE locktype = 'advisory' AND granted AND objsubid = 1 AND pid = pg_backend_pid()
		AND classid::bigint << 32 | objid::bigint = $1)`, key).Scan(&pid, &kept)
	if err != nil {
		return false, err
	}
	if !kept || pid != int64(c.PgConn().PID()) {
		return false, fault.New(fault.StoreUnsafe, "open the database",
			"its locks do not belong to connections: there is a connection pool in front of it, or it is not PostgreSQL itself")
	}
	return true, nil
}

// backend is the server's process behind the connection that this process had last.
// The pool has one connection, and makes one at a time.
type backend struct {
	pid   uint32
	since time.Time
}

// lock takes a lock for a new connection. The server may not have noticed that the
// connection before is gone: that one is ended, and with it whatever it was doing.
func (b *backend) lock(ctx context.Context, c *pgx.Conn, key int64, taken func() error) error {
	if b.pid != 0 {
		if _, err := c.Exec(ctx, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE pid = $1 AND backend_start = $2`, int64(b.pid), b.since); err != nil {
			return err
		}
	}
	late := time.After(lockPatience)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		got, err := try(ctx, c, key)
		if err != nil {
			return err
		}
		if got {
			return b.record(ctx, c)
		}
		select {
		case <-tick.C:
		case <-late:
			return taken()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (b *backend) record(ctx context.Context, c *pgx.Conn) error {
	b.pid = c.PgConn().PID()
	return c.QueryRow(ctx, `SELECT backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid()`).Scan(&b.since)
}
