package ledger

import (
	"database/sql"
	"io"
	"log/slog"
	"time"

	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
)

// Options configure a ledger.
type Options struct {
	// DB is the node's database: one connection, durable commits, transactions that begin for
	// writing. The caller closes it.
	DB *sql.DB
	// Reader is a second connection to the same database for long reads, so that they do not
	// delay payments. Its transactions must not begin for writing. nil reads through DB.
	Reader *sql.DB
	// Full reports whether a driver error means that the disk is full. A commit that failed with
	// it did not happen; after any other failure the outcome is unknown, and the ledger stops. nil
	// knows no such error.
	Full func(error) bool
	// Transient reports whether a driver error comes from the machine and may be gone at the next
	// try: a locked file, a failed read, no memory. An error that is neither full nor transient
	// is blamed on one entry, which is refused. nil knows no such error.
	Transient func(error) bool
	// Damaged reports whether a driver error means that the file is damaged. The ledger stops,
	// because writing would make it worse. nil knows no such error.
	Damaged func(error) bool
	// Lost reports whether a driver error means that the database or its answer was not
	// reachable, and that the query can be repeated. The writer repeats it after a commit with an unknown
	// outcome. nil knows no such error: the database is a file.
	Lost func(error) bool
	// InPlace returns an error when the database is no longer the one that was opened. It is called
	// in each transaction. nil is always in place.
	InPlace func() error
	// TxTimeout bounds one group's transaction; 0 is no bound.
	TxTimeout time.Duration
	// Mark stores outside the database how far the ledger has come, so that an older copy of
	// the database is recognized; nil stores nothing.
	Mark Marker
	// Head is the chain's layer-1 height, false while it is unknown or old; nil is never known.
	Head func() (protocol.L1Block, bool)
	// Rand is the source of secrets.
	Rand  io.Reader
	Now   func() time.Time
	Board *health.Board
	Log   *slog.Logger

	// Queue bounds the callers that wait for a commit; 0 is 4096.
	Queue int
	// Retry is the pause after a failed write; 0 is a second.
	Retry time.Duration
	// GroupWait is how long asynchronous entries wait to be written with others; 0 is 5 ms,
	// less than 0 is not at all.
	GroupWait time.Duration
	// HeadEvery is how often the ledger's height is compared with the chain's; 0 is 30 s.
	HeadEvery time.Duration
	// KeepWinners is for how many rounds an ended ticket is kept with its history; 0 is 30.
	KeepWinners protocol.Round
}

// maxGroupRequests bounds the requests of one commit, so that no caller waits long.
const maxGroupRequests = 256

func (o Options) withDefaults() Options {
	if o.Queue <= 0 {
		o.Queue = 4096
	}
	if o.Retry <= 0 {
		o.Retry = time.Second
	}
	if o.GroupWait == 0 {
		o.GroupWait = 5 * time.Millisecond
	}
	if o.HeadEvery <= 0 {
		o.HeadEvery = 30 * time.Second
	}
	if o.KeepWinners == 0 {
		o.KeepWinners = 30
	}
	if o.Head == nil {
		o.Head = func() (protocol.L1Block, bool) { return 0, false }
	}
	for _, knows := range []*func(error) bool{&o.Full, &o.Transient, &o.Damaged, &o.Lost} {
		if *knows == nil {
			*knows = func(error) bool { return false }
		}
	}
	if o.InPlace == nil {
		o.InPlace = func() error { return nil }
	}
	if o.Mark == nil {
		o.Mark = noMarker{}
	}
	if o.Reader == nil {
		o.Reader = o.DB
	}
	return o
}
