package ledger

import (
	"context"
	"database/sql"
	"math/bits"

	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// sets compares each set's number of tickets with its nonce bits and its entries.
func (c *checker) sets(ctx context.Context) error {
	c.marks = make(map[int64]map[int64][]byte)
	marked := make(map[int64]int64)
	err := each(ctx, c.tx, func(rows *sql.Rows) error {
		var id, at int64
		var page []byte
		if err := rows.Scan(&id, &at, &page); err != nil {
			return err
		}
		if c.marks[id] == nil {
			c.marks[id] = make(map[int64][]byte)
		}
		c.marks[id][at] = page
		for _, b := range page {
			marked[id] += int64(bits.OnesCount8(b))
		}
		return nil
	}, `SELECT set_id, page, bits FROM ledger_page`)
	if err != nil {
		return err
	}
	err = each(ctx, c.tx, func(rows *sql.Rows) error {
		var id, credited, archived, entered int64
		var hash protocol.Hash
		if err := rows.Scan(&id, into(hash[:]), &credited, &archived, &entered); err != nil {
			return err
		}
		c.report.Sets++
		if archived+entered != credited {
			c.report.addProblem("set %v: %d tickets were credited, and by the entries %d", hash, credited, archived+entered)
		}
		if marked[id] != credited {
			c.report.addProblem("set %v: %d tickets were credited, and %d are marked", hash, credited, marked[id])
		}
		delete(marked, id)
		return nil
	}, `SELECT s.id, s.rand_hash, s.credited, s.archived, coalesce(e.n, 0) FROM ledger_set s
		LEFT JOIN (SELECT rand_hash, sum(tickets) AS n FROM ledger_entry WHERE kind = 1 GROUP BY rand_hash) e
			ON e.rand_hash = s.rand_hash`)
	if len(marked) > 0 {
		c.report.addProblem("tickets of %d unknown sets are marked", len(marked))
	}
	return err
}

// tickets finds tickets that were credited twice, and those whose nonce bit is missing, so that
// they could be. Entries come set by set.
func (c *checker) tickets(ctx context.Context) error {
	var last protocol.Hash
	seen := make(map[uint32]bool)
	return each(ctx, c.tx, func(rows *sql.Rows) error {
		var id, set int64
		var hash protocol.Hash
		var count int
		var packed []byte
		if err := rows.Scan(&id, into(hash[:]), &count, &packed, &set); err != nil {
			return err
		}
		if hash != last {
			clear(seen)
			last = hash
		}
		nonces, err := unpackNonces(packed)
		if err != nil || len(nonces) != count {
			c.report.addProblem("entry %d: it says %d tickets, and has nonces of %d", id, count, len(nonces))
		}
		for _, n := range nonces {
			if seen[n] {
				c.report.addProblem("entry %d: ticket %d of the set %v was credited before", id, n, hash)
			}
			if at, i, mask := bit(n); set != 0 && !hasBit(c.marks[set][at], i, mask) {
				c.report.addProblem("entry %d: ticket %d of the set %v is not marked", id, n, hash)
			}
			seen[n] = true
		}
		return nil
	}, `SELECT e.id, e.rand_hash, e.tickets, e.nonces, coalesce(s.id, 0) FROM ledger_entry e LEFT JOIN ledger_set s
		ON s.rand_hash = e.rand_hash
		WHERE e.kind = 1 ORDER BY e.rand_hash, e.id`)
}

// epochs: the newest is open or was ended in order, all others have ended.
func (c *checker) epochs(ctx context.Context) error {
	first := true
	return each(ctx, c.tx, func(rows *sql.Rows) error {
		var id pm.EpochID
		var state string
		if err := rows.Scan(&id, &state); err != nil {
			return err
		}
		if first && state == epochCrashed || !first && state == epochOpen {
			c.report.addProblem("epoch %d: it is %s, and cannot be", id, state)
		}
		first = false
		return nil
	}, `SELECT id, state FROM ledger_epoch ORDER BY id DESC`)
}
