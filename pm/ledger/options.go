package ledger

import (
	"database/sql"
	"io"
	"log/slog"
	"time"

	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
)

// Options are what a ledger needs.
type Options struct {
	// DB is the node's database: one connection, commits that reach the disk,
	// transactions that begin for writing. It stays the caller's.
	DB *sql.DB
	// Reader is a second way to the same database for long reads, so that they do
	// not hold up payments: its transactions must not begin for writing. nil reads
	// through DB.
	Reader *sql.DB
	// Full reports whether an error of the driver means that there is no room on the
	// disk. A commit that failed so did not happen; after any other failure of a
	// commit it is unknown whether it did, and the ledger stops. nil knows no such
	// error.
	Full func(error) bool
	// Passing reports whether an error of the driver is about the machine and may be
	// gone the next time: a file in somebody else's hands, a failed read, no memory.
	// What is neither full nor passing is an entry's: it is refused, and others go on.
	// nil knows no such error.
	Passing func(error) bool
	// Damaged reports whether an error of the driver means that the file is no sound
	// database. The ledger stops, because writing would make it worse. nil knows no
	// such error.
	Damaged func(error) bool
	// Lost reports whether an error of the driver means that the database could not be
	// asked, or that its answer got lost, and that it can be asked again. Where nobody
	// knows whether a commit happened, it is asked. nil knows no such error: that is a
	// database in a file.
	Lost func(error) bool
	// Patience bounds one group's transaction; 0 is no bound.
	TxTimeout time.Duration
	// Mark keeps outside the database how far the books are, so that an older copy of
	// them is known for one; nil keeps nothing.
	Mark Marker
	// Head is the layer-1 height that the chain shows, false while that is not known or
	// is old; nil where nobody can tell.
	Head func() (protocol.L1Block, bool)
	// Rand is where secrets come from.
	Rand  io.Reader
	Now   func() time.Time
	Board *health.Board
	Log   *slog.Logger

	// Queue bounds how many callers wait for a commit; 0 is 4096.
	Queue int
	// Retry is how long entries that nobody waits for rest after a failed write; 0
	// is a second.
	Retry time.Duration
	// GroupWait is how long entries that nobody waits for are held so that they are
	// written with others; 0 is 5 ms, less is not at all.
	GroupWait time.Duration
	// HeadEvery is how often the books' height is compared with the chain's; 0 is 30 s.
	HeadEvery time.Duration
	// KeepWinners is for how many rounds a ticket that came to its end is kept with
	// its history; 0 is 30.
	KeepWinners protocol.Round
}

// groupMost bounds how much is committed at once, so that nobody waits long.
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
	for _, knows := range []*func(error) bool{&o.Full, &o.Passing, &o.Damaged, &o.Lost} {
		if *knows == nil {
			*knows = func(error) bool { return false }
		}
	}
	if o.Mark == nil {
		o.Mark = noMarker{}
	}
	if o.Reader == nil {
		o.Reader = o.DB
	}
	return o
}
