package ledger

import (
	"context"
	"database/sql"
	"strconv"
	"strings"

	"github.com/tuttinode/tutti/core/database"
)

// refresh reads what is new, and reports whether there is more. If it fails, nothing has
// changed.
func (s *Summary) refresh(ctx context.Context) (behind bool, err error) {
	var n summaryDelta
	if err := s.inSnapshot(ctx, "add up the ledger", func(tx *sql.Tx) (err error) {
		n, err = s.readDelta(ctx, tx)
		return err
	}); err != nil {
		return false, err
	}
	s.sums.apply(&n)
	s.journal.drop(n.now.commits)
	behind = !s.sums.large && n.to < n.now.last
	s.complete.Store(!s.sums.large && !behind)
	return behind, nil
}

// readDelta reads what is new in one snapshot. Archived entries stay part of the sums if they
// were read before.
func (s *Summary) readDelta(ctx context.Context, tx *sql.Tx) (n summaryDelta, err error) {
	g := s.sums
	if n.now, err = readCurrent(ctx, tx); err != nil {
		return n, err
	}
	touched, all := s.journal.upTo(n.now.commits)
	book := ""
	if database.DialectOf(s.db) == database.Postgres {
		err := tx.QueryRowContext(ctx,
			`SELECT current_schema(), pg_snapshot_xmin(pg_current_snapshot())::text::bigint`).Scan(&book, &n.floor)
		if err != nil {
			return n, err
		}
	}
	n.full = !g.begun || all || n.now.archived > g.to && !g.large || n.now.commits < g.commits || n.now.last < g.to ||
		n.floor < g.floor
	switch {
	case n.full:
		err = s.readAll(ctx, tx, &n)
	case g.large:
		n.to = n.now.last
	default:
		n.to = g.to
		n.winners, err = changedWinners(ctx, tx, strings.TrimPrefix(book, BookPath("")), g.floor, touched)
	}
	if err != nil || n.large || g.large && !n.full {
		return n, err
	}
	after := n.to
	if n.to = min(n.now.last, after+s.chunk); n.to > after {
		n.moves, err = movements(ctx, tx, span{after, n.to})
	}
	return n, err
}

// readAll reads what is not read in chunks: archived totals and winners.
func (s *Summary) readAll(ctx context.Context, tx *sql.Tx, n *summaryDelta) error {
	var totals, winners int
	if err := tx.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM ledger_total), (SELECT count(*)
		FROM ledger_winner)`).Scan(&totals, &winners); err != nil {
		return err
	}
	n.to = n.now.archived
	if n.large = totals > summaryKeys || winners > summaryWinners; n.large {
		return nil
	}
	err := archivedTotals(ctx, tx, func(t *Total) { n.rolled = append(n.rolled, *t) })
	if err != nil {
		return err
	}
	n.winners, err = readWinnerAmounts(ctx, tx, selectWinnerAmounts+`1 = 1`)
	return err
}

// winnersPerQuery is how many winners one query asks for by number.
const winnersPerQuery = 100

// changedWinners reads the winners that advanced. In a file only this process changes them, and
// the journal knows which. In a shared database the leader changes them: there xmin,
// PostgreSQL's number of the transaction that wrote a row, tells which rows the last refresh
// did not see.
func changedWinners(ctx context.Context, tx *sql.Tx, book string, floor int64, touched []int64) (out []winnerAmounts,
	err error) {
	if book != "" {
		return readWinnerAmounts(ctx, tx, `SELECT `+winnerAmountColumns+` FROM tutti.ledger_winner
			WHERE book = ? AND age(xmin) <= age(?::text::xid)`, book, strconv.FormatUint(uint64(uint32(floor)), 10))
	}
	for len(touched) > 0 {
		some := touched[:min(winnersPerQuery, len(touched))]
		touched = touched[len(some):]
		ids := make([]any, len(some))
		for i, id := range some {
			ids[i] = id
		}
		found, err := readWinnerAmounts(ctx, tx, selectWinnerAmounts+`id IN (?`+strings.Repeat(`, ?`, len(ids)-1)+`)`, ids...)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}
