package nodedb_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"io"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/postgres"
)

// silencer is a server in front of another. Connections that are made while it is silent get the answers of that one's
// start, and then none.
type silencer struct {
	address string
	silent  atomic.Bool
	// fell counts the connections that got no more answers.
	fell atomic.Int32
}

func silence(t *testing.T, to string) *silencer {
	t.Helper()
	s := new(silencer)
	s.address = postgres.Relay(t, to, func(near io.Writer, far io.Reader) { s.carry(near, far, s.silent.Load()) })
	return s
}

// carry carries the server's messages, of a silent connection up to the first that says that it is ready.
func (s *silencer) carry(to io.Writer, from io.Reader, silent bool) {
	b := make([]byte, 32<<10)
	for {
		n, err := from.Read(b)
		if err != nil {
			return
		}
		if _, err := to.Write(b[:n]); err != nil {
			return
		}
		if silent && n >= 6 && b[n-6] == 'Z' {
			s.fell.Add(1)
			_, _ = io.Copy(io.Discard, from)
			return
		}
	}
}

// A server that accepts a connection and then does not answer, as one whose disk hangs, takes the book's only
// connection for a while, and not until the next start.
func TestASilentServerIsGivenUp(t *testing.T) {
	t.Parallel()
	u, err := url.Parse(server.Server(t).Database(t))
	if err != nil {
		t.Fatal(err)
	}
	front := silence(t, u.Host)
	u.Host = front.address
	db := closed(t, parse(t, u.String()+"&book=a&connect_timeout=1").Writer())
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// One that waits makes the pool itself replace the connection that ends.
	waiting, leave := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { _ = db.PingContext(waiting) })
	await(t, "the one that waits", func() bool { return db.Stats().WaitCount == 1 })
	front.silent.Store(true)
	_ = conn.Raw(func(any) error { return driver.ErrBadConn }) // it ends the connection
	_ = conn.Close()
	await(t, "the connection that gets no answer", func() bool { return front.fell.Load() > 0 })
	front.silent.Store(false)
	leave()
	wg.Wait()
	await(t, "the database", func() bool { return pings(t, db) })
}

func pings(t *testing.T, db *sql.DB) bool {
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	return db.PingContext(ctx) == nil
}

func await(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick, late := time.NewTicker(10*time.Millisecond), time.After(30*time.Second)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-late:
			t.Fatal("waited in vain for " + what)
		}
	}
}
