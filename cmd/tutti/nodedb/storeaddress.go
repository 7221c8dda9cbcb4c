package nodedb

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/tuttinode/tutti/core/database"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm/ledger"
)

// bookFile names a node's book in its data directory.
const bookFile = "book"

// connectTimeout is how long a connection may take to be made, where the address does
// not say.
const connectTimeout = 5 * time.Second

// Store is a PostgreSQL database and one node's book in it. Book is "" for a caller that only
// reads and named none.
type Store struct {
	config *pgx.ConnConfig
	Book   string
}

// ParseStore reads an address: postgres://user:password@host/name?sslmode=…, with book=NAME
// where the node's book is to have a name of the operator's. The error is the fault
// StoreAddress and says nothing of what is in the address.
func ParseStore(address string) (*Store, error) {
	const op = "read the address of -store"
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return nil, fault.New(fault.StoreAddress, op, "it does not begin with postgres://")
	}
	q := u.Query()
	s := &Store{Book: q.Get("book")}
	if s.Book != "" && !ledger.BookName(s.Book) {
		return nil, fault.New(fault.StoreAddress, op,
			"book="+s.Book+" is no name of a book: it has 1 to 40 small letters, digits and underscores")
	}
	q.Del("book")
	u.RawQuery = q.Encode()
	if s.config, err = pgx.ParseConfig(u.String()); err != nil {
		return nil, fault.New(fault.StoreAddress, op, "a part of it cannot be read: the port, sslmode or another setting")
	}
	if s.config.ConnectTimeout == 0 {
		s.config.ConnectTimeout = connectTimeout
	}
	return s, nil
}

// Known is Name for a caller that only looks: it makes no name up.
func (s *Store) Known(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, bookFile)); err != nil {
		return fault.New(fault.LedgerAbsent, "find the node's book",
			dir+" has no file "+bookFile+"; name a book with book= in the address, as tutti ledger books lists them")
	}
	return s.Name(dir)
}

// Name gives the book the name that the data directory has for it, and makes one up
// for a new directory. One that the address has stays.
func (s *Store) Name(dir string) error {
	const op = "name the node's book"
	if s.Book != "" {
		return nil
	}
	path := filepath.Join(dir, bookFile)
	text, err := os.ReadFile(path)
	switch {
	case err == nil && ledger.BookName(strings.TrimSpace(string(text))):
		s.Book = strings.TrimSpace(string(text))
		return nil
	case err == nil:
		return fault.New(fault.StoreAddress, op, path+" holds no name of a book")
	case !errors.Is(err, fs.ErrNotExist):
		return fault.Wrap(fault.DataDirUnusable, op, err)
	}
	random := make([]byte, 6)
	_, _ = rand.Read(random) // it has no errors
	name := "node_" + hex.EncodeToString(random)
	// Whole or not at all: half a name on a full disk would be another book, or none, at the next start.
	if err := (database.MarkFile{Path: path}).Write([]byte(name + "\n")); err != nil {
		return fault.WrapWrite(fault.DataDirUnusable, op, err)
	}
	s.Book = name
	return nil
}
