package ledger

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/core/database"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/lifecycle"
	"github.com/tuttinode/tutti/pm"
)

// Ledger is an orchestrator's ledger. It is safe for concurrent use. Run writes what is queued
// to disk.
type Ledger struct {
	// Reader is the read-only part.
	*Reader
	opt   Options
	db    *sql.DB
	epoch pm.EpochID
	// renewed is the epoch that replaced the opening's, nil if none did.
	renewed atomic.Pointer[renewal]
	// identity is the ledger's name in its mark.
	identity string
	// shared: the ledger is one of several books in a database.
	shared bool
	stmts  *prepared
	ledgerSignals

	// journal is read by the summary.
	journal journal

	mu sync.Mutex
	// queue has the requests that no group has taken, in the order of the calls. asyncCount
	// counts those without a waiting caller, including retained ones. ended is the error for
	// new requests once the ledger stopped. Guarded by mu.
	queue      []*request
	asyncCount int
	ended      error
	late       lateDebits

	// ending is closed when Run is to end.
	ending <-chan struct{}
	ledgerWriter
}

// ledgerSignals wake Run, and bound the callers that wait for it.
type ledgerSignals struct {
	// slots bounds the waiting callers. wake tells Run that requests are queued, flushNow that
	// it must not wait for more.
	slots          chan struct{}
	wake, flushNow chan struct{}
}

// ledgerWriter is what only Run touches, and Open.
type ledgerWriter struct {
	// retained are asynchronous requests that could not be written so far. They come before all
	// others. Only Run touches them.
	retained []*request
	// low is when the chain's head was first seen far below the ledger's height, zero while it
	// is not. Only Run touches it.
	low time.Time
	// commits is the number of the last commit. A database at another number was changed by
	// another process or restored. Only Run touches it.
	commits int64
	// marked is the mark that was stored last. Only Open and Run touch it.
	marked Mark
	// groupLimit bounds the requests of a group. It shrinks while the database is too slow for
	// TxTimeout. Only Run touches it.
	groupLimit int
}

var _ lifecycle.Component = (*Ledger)(nil)

// Open brings the tables up to date and returns what the ledger remembers. From then on it
// counts as in use: if the process ends before Run has ended, the next opening is one after a
// crash. Every opening begins with a new secret. Balances are restored either way. Errors are
// the faults LedgerFailed, LedgerMarkDamaged and LedgerMoved.
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
		Reader: &Reader{opt.Reader}, opt: opt, db: opt.DB, shared: database.DialectOf(opt.DB) == database.Postgres,
		epoch:    o.Current.ID,
		identity: identity(o.Token),
		ledgerSignals: ledgerSignals{slots: make(chan struct{}, opt.Queue), wake: make(chan struct{}, 1),
			flushNow: make(chan struct{}, 1)},
		ledgerWriter: ledgerWriter{commits: at.commits, groupLimit: maxGroupRequests},
	}
	if l.stmts, err = prepare(ctx, opt.DB, allStatements()...); err != nil {
		return nil, pm.Opening{}, fault.Wrap(fault.LedgerFailed, op, err)
	}
	if err := l.mark(); err != nil {
		return nil, pm.Opening{}, fault.Wrap(fault.LedgerFailed, "store the ledger's mark", err)
	}
	return l, o, nil
}

// failedOpening is the fault of a ledger that was moved or cannot be read.
func failedOpening(op string, err error) error {
	if f, ok := errors.AsType[*fault.Fault](err); ok && (f.Code == fault.LedgerMoved ||
		f.Code == fault.LedgerMarkDamaged) {
		return f
	}
	return fault.Wrap(fault.LedgerFailed, op, err)
}

// Name returns the component's name.
func (*Ledger) Name() string { return "ledger" }
