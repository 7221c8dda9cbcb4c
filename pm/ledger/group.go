package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// group is one database transaction. It reads an account or a set once and writes it once, however many
// entries touch it.
type group struct {
	l     *Ledger
	tx    *sql.Tx
	stmts *prepared
	// was is the state before the group, now the state after it.
	was, now current
	// wrote: some row was written. totalsChanged: archived totals changed.
	wrote, totalsChanged bool
	// touched are the winners that were added or changed.
	touched  []int64
	accounts map[pm.Account]*account
	sets     map[protocol.Hash]*set
	// reached is the height up to which any node may have revealed random numbers.
	reached protocol.L1Block
	// epoch is the present one, that of renewal if the group began it.
	epoch   pm.EpochID
	renewal *renewal
}

func (l *Ledger) group(ctx context.Context, tx *sql.Tx) (*group, error) {
	was, err := scanCurrent(tx.StmtContext(ctx, l.stmts[findState]).QueryRowContext(ctx))
	if err != nil {
		return nil, err
	}
	if was.commits != l.commits {
		return nil, fault.New(fault.LedgerFailed, "write the ledger",
			fmt.Sprintf("the books are at commit %d and were at %d: they are an older copy, or another process writes them",
				was.commits, l.commits))
	}
	if err := l.opt.InPlace(); err != nil {
		return nil, fault.Wrap(fault.LedgerFailed, "write the ledger", err)
	}
	now := was
	var reached protocol.L1Block
	if l.shared {
		if reached, err = readReached(ctx, tx); err != nil {
			return nil, err
		}
		now.expired = max(now.expired, reached)
	}
	return &group{l: l, tx: tx, stmts: l.stmts, was: was, now: now, reached: reached, epoch: l.epoch,
		accounts: make(map[pm.Account]*account),
		sets:     make(map[protocol.Hash]*set)}, nil
}

// book adds the entries of one call. It checks all credits before it changes anything, so that
// a refused call leaves no trace and does not affect other calls of the group.
func (g *group) book(ctx context.Context, op string, e *pm.Entries) error {
	for i := range e.Credits {
		if err := g.checkCredit(ctx, op, &e.Credits[i]); err != nil {
			return err
		}
	}
	for i := range e.Credits {
		if err := g.credit(ctx, &e.Credits[i]); err != nil {
			return err
		}
	}
	for i := range e.Winners {
		if err := g.addOrCreditWinner(ctx, &e.Winners[i]); err != nil {
			return err
		}
	}
	for i := range e.Debits {
		if err := g.debit(ctx, &e.Debits[i]); err != nil {
			return err
		}
	}
	for i := range e.Closings {
		if err := g.close(ctx, &e.Closings[i]); err != nil {
			return err
		}
	}
	return nil
}

// next returns the number of one more entry.
func (g *group) next() int64 {
	g.now.last++
	return g.now.last
}

// flush writes what the group changed in accounts, sets and the state.
func (g *group) flush(ctx context.Context) error {
	if err := errors.Join(g.flushAccounts(ctx), g.flushSets(ctx)); err != nil {
		return err
	}
	if g.now == g.was && !g.wrote {
		return nil
	}
	done, err := g.exec(ctx, setState, g.now.last, g.now.archived, int64(g.now.before), int64(g.now.expired),
		int64(g.now.low), g.was.last, g.was.archived, g.was.commits, int64(g.epoch))
	if err != nil {
		return err
	}
	if n, err := done.RowsAffected(); err != nil || n != 1 {
		return errors.Join(err, fault.New(fault.LedgerFailed, "write the ledger",
			"another process opened this ledger; only one may"))
	}
	g.now.commits++
	return nil
}

// refused is the fault of an entry that contradicts the ledger.
func refused(op, detail string) error { return fault.New(fault.LedgerRefused, op, detail) }

// flushAndReset writes the accounts and sets that the group holds and drops them, because their
// tables are about to change.
func (g *group) flushAndReset(ctx context.Context) error {
	if err := g.flushAccounts(ctx); err != nil {
		return err
	}
	if err := g.flushSets(ctx); err != nil {
		return err
	}
	clear(g.accounts)
	clear(g.sets)
	return nil
}
