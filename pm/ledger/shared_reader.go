package ledger

import (
	"context"
	"database/sql"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/pm"
)

// Waiting adds up all books' unpaid winning tickets, by sender. It needs the reader of
// SharedReader.
func (r *Reader) Waiting(ctx context.Context) (map[core.Address]pm.Unpaid, error) {
	sums := make(map[core.Address]pm.Unpaid)
	err := each(ctx, r.db, func(rows *sql.Rows) error {
		var owner core.Address
		var face core.Wei
		err := rows.Scan(into(owner[:]), wei{&face})
		sums[owner] = sums[owner].Add(face)
		return err
	}, `SELECT sender, face FROM tutti.ledger_winner WHERE state IN (?, ?, ?)`, string(pm.TicketWon),
		string(pm.TicketQueued), string(pm.TicketSubmitted))
	return sums, storeFault("add up what is to be redeemed", err)
}

// HasLeader reports whether a node redeems for all books now.
func (r *Reader) HasLeader(ctx context.Context) (led bool, err error) {
	const op = "check which node redeems"
	err = r.inSnapshot(ctx, op, func(tx *sql.Tx) error {
		locks, err := heldLocks(ctx, tx)
		led = locks[LeaderLock()]
		return err
	})
	return led, err
}

// SharedReader returns the reader of what all books share.
func SharedReader(db *sql.DB) *Reader { return &Reader{db} }

// BookRow is a book in the list of Books.
type BookRow struct {
	Book
	Opened time.Time
	// InUse: a process has it open for writing. Leads: that process redeems for all books.
	InUse, Leads bool
	// Waiting is the number of its unpaid winning tickets, Worth their sum.
	Waiting int
	Worth   core.Wei
}

// Books lists the books. It needs the reader of SharedReader.
func (r *Reader) Books(ctx context.Context) (out []BookRow, err error) {
	const op = "list the books"
	at := make(map[string]int)
	err = r.inSnapshot(ctx, op, func(tx *sql.Tx) error {
		locks, err := heldLocks(ctx, tx)
		if err != nil {
			return err
		}
		err = each(ctx, tx, func(rows *sql.Rows) error {
			var b BookRow
			var opened int64
			var leader string
			err := rows.Scan(&b.Name, into(b.Recipient[:]), &b.Host, &opened, &leader)
			b.Opened, b.InUse = timeOf(opened), locks[BookLock(b.Name)]
			b.Leads = leader == b.Name && locks[LeaderLock()]
			at[b.Name] = len(out)
			out = append(out, b)
			return err
		}, `SELECT b.name, b.recipient, b.host, b.opened, l.book FROM tutti.ledger_book b, tutti.ledger_leader l
			ORDER BY b.name`)
		if err != nil {
			return err
		}
		return each(ctx, tx, func(rows *sql.Rows) error {
			var name string
			var face core.Wei
			if err := rows.Scan(&name, wei{&face}); err != nil {
				return err
			}
			b := &out[at[name]]
			b.Waiting, b.Worth = b.Waiting+1, b.Worth.Add(face)
			return nil
		}, `SELECT book, face FROM tutti.ledger_winner WHERE state IN (?, ?, ?)`, string(pm.TicketWon),
			string(pm.TicketQueued), string(pm.TicketSubmitted))
	})
	return out, err
}

// heldLocks returns the advisory locks that are held.
func heldLocks(ctx context.Context, tx *sql.Tx) (map[int64]bool, error) {
	locks := make(map[int64]bool)
	err := each(ctx, tx, func(rows *sql.Rows) error {
		var high, low int64
		err := rows.Scan(&high, &low)
		locks[high<<32|low] = true
		return err
	}, `SELECT classid::bigint, objid::bigint FROM pg_locks WHERE locktype = 'advisory' AND granted
		AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`)
	return locks, err
}
