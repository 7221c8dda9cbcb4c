package ledger

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/database"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/lifecycle"
	"github.com/tuttinode/tutti/pm"
)

// Ledger is an orchestrator's books. It is safe for concurrent use. What is
// written goes onto the disk while it runs.
type Ledger struct {
	// Reader is for everybody who only looks.
	*Reader
	opt   Options
	db    *sql.DB
	epoch pm.EpochID
	// identity is the name of the books in their mark.
	identity string
	// shared says that the ledger is a book among others.
	shared bool
	stmts  *prepared

	// slots bounds the callers that wait; wake tells Run that there is something, and
	// hurry that it is not to wait for more.
	slots       chan struct{}
	wake, flushNow chan struct{}

	// journal is for the summary.
	journal journal

	mu sync.Mutex
	// queue is what no group has taken, in the order of the calls; booked is how
	// many of them nobody waits for, with those that Run keeps. ended is why nothing
	// more is taken. Guarded by mu.
	queue  []*request
	asyncCount int
	ended  error

	// ending is closed when Run is to end.
	ending <-chan struct{}

	// kept are entries that nobody waits for and that could not be written so far.
	// They come before everything else. Only Run touches them.
	retained []*request
	// low is when the chain's head was seen far below the height of the books, zero
	// while it is not. Only Run touches it.
	low time.Time
	// commits is the number of the group that was written last: books that are at
	// another are not those that this process knows. Only Run touches it.
	commits int64
	// marked is the mark that was stored last. Only Open and Run touch it.
	marked Mark
	// most bounds how many requests a group has: fewer where the database is too slow
	// for as many in the time there is. Only Run touches it.
	groupLimit int
}

var _ lifecycle.Component = (*Ledger)(nil)

// Open brings the tables up to date and returns what the ledger remembers. From
// then on it counts as in use: if the process ends before Run has ended, the next
// opening is one after a crash. Every opening begins with a fresh secret. Balances come
// back either way,
// as they are on disk. Errors are the faults LedgerFailed and LedgerMoved.
func Open(ctx context.Context, opt Options) (*Ledger, pm.Opening, error) {
	const op = "open the ledger"
	opt = opt.withDefaults()
	steps, err := openedTables(ctx, opt.DB)
	if err == nil {
		err = steps.Migrate(ctx, opt.DB)
	}
	if err != nil {
		return nil, pm.Opening{}, fault.Wrap(fault.LedgerFailed, op, err)
	}
	o, at, err := readOpening(ctx, opt)
	if err != nil {
		return nil, pm.Opening{}, failedOpening(op, err)
	}
	l := &Ledger{
		Reader: &Reader{opt.Reader}, opt: opt, db: opt.DB, shared: database.DialectOf(opt.DB) == database.Postgres, epoch: o.Current.ID,
		identity: identity(o.Token), commits: at.commits, groupLimit: maxGroupRequests,
		slots: make(chan struct{}, opt.Queue), wake: make(chan struct{}, 1), flushNow: make(chan struct{}, 1),
	}
	if l.stmts, err = prepare(ctx, opt.DB, allStatements()...); err != nil {
		return nil, pm.Opening{}, fault.Wrap(fault.LedgerFailed, op, err)
	}
	if err := l.mark(); err != nil {
		return nil, pm.Opening{}, fault.Wrap(fault.LedgerFailed, "store the ledger's mark", err)
	}
	return l, o, nil
}

// failedOpening is why books are not opened: they were moved, or cannot be read.
func failedOpening(op string, err error) error {
	if f, ok := errors.AsType[*fault.Fault](err); ok && f.Code == fault.LedgerMoved {
		return f
	}
	return fault.Wrap(fault.LedgerFailed, op, err)
}

// Name is the component's name.
func (*Ledger) Name() string { return "ledger" }
