package postgres

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// Shared is one server for all tests of a package, started by the first that asks.
type Shared struct {
	// Durable is New's.
	Durable bool

	once   sync.Once
	server *Server
	dir    string
	err    error
}

// Server is the server.
func (s *Shared) Server(t testing.TB) *Server {
	t.Helper()
	s.once.Do(func() {
		if s.dir, s.err = Directory(); s.err == nil {
			s.server, s.err = New(s.dir, s.Durable)
		}
	})
	if s.err != nil {
		t.Fatal(s.err)
	}
	return s.server
}

// Stop ends it; the package's TestMain calls it at the end.
func (s *Shared) Stop() {
	if s.server != nil {
		s.server.Stop(true)
	}
	if s.dir != "" {
		_ = os.RemoveAll(s.dir)
	}
}

// Directory makes one that the server's user can reach: not below a test's own, which
// is its user's alone.
func Directory() (string, error) {
	dir, err := os.MkdirTemp("/tmp", "tutti-postgres-")
	if err != nil {
		return "", fmt.Errorf("make a directory for PostgreSQL: %w", err)
	}
	return filepath.Clean(dir), nil
}
