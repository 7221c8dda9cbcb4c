package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
)

// movedTables are the tables that are copied as they are, in the order of their references.
// counted names the column of tables whose numbers come from a sequence.
func movedTables() []struct{ table, columns, counted string } {
	return []struct{ table, columns, counted string }{
		{"ledger_token", "one, secret", ""},
		{"ledger_epoch", "id, secret, state, opened, ended", ""},
		{"ledger_account", "id, sender, name, open, balance, carried, live, price, opened, used", "id"},
		{"ledger_set", "id, epoch, rand_hash, sender, face, prob, expiration, credited, archived", "id"},
		{"ledger_page", "set_id, page, bits", ""},
		{"ledger_entry", "id, kind, account, round, at, session, rand_hash, face, prob, tickets, nonces, expiration, " +
			"pipeline, model, worker, per_unit, pixels, units, produced, amount, claimed, stale", ""},
		{"ledger_total", totalColumns, ""},
	}
}

// Move copies the ledger of a database file into the named book, which is new and empty, all or
// nothing. No process may have either open. After that the file, and by its mark any older copy
// of it, is not opened as a ledger again. Call Move again to resume an interrupted one.
func Move(ctx context.Context, from, to *sql.DB, name string, mark Marker) error {
	steps, err := openedTables(ctx, to)
	if err == nil {
		err = steps.Migrate(ctx, to)
	}
	if err != nil {
		return err
	}
	// The file's tables may be of an older version of tutti.
	if err := tables(tickets).Migrate(ctx, from); err != nil {
		return err
	}
	kept, err := markMoved(ctx, from, name, mark)
	if err != nil {
		return err
	}
	there, err := alreadyMoved(ctx, to, kept)
	if err != nil {
		return err
	}
	if !there {
		if err := copyBooks(ctx, from, to); err != nil {
			return err
		}
	}
	return mark.Store(kept)
}

// markMoved records in the file where its ledger goes, and returns the mark that blocks every
// copy. It is the first step: a file that may have been copied already must not be opened.
func markMoved(ctx context.Context, from *sql.DB, name string, mark Marker) (m Mark, err error) {
	const op = "move the books"
	tx, err := from.BeginTx(ctx, nil)
	if err != nil {
		return m, err
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	var token pm.Secret
	if err := tx.QueryRowContext(ctx, `SELECT secret FROM ledger_token`).Scan(into(token[:])); err != nil {
		return m, err
	}
	if m, err = presentMark(ctx, tx, token); err != nil {
		return m, err
	}
	kept, err := loadMark(mark)
	if err != nil {
		return m, err
	}
	if kept.Ledger == m.Ledger && kept.Moved != "" {
		m.Moved = kept.Moved
	}
	switch {
	case m.Moved != "" && m.Moved != name:
		return m, fault.New(fault.LedgerMoved, op, "the books are now the book "+m.Moved)
	case kept.after(m):
		return m, refused(op, "they are an older copy of the books; put the newest back")
	}
	m.Moved = name
	if _, err := tx.ExecContext(ctx, `UPDATE ledger_state SET moved = ?`, name); err != nil {
		return m, err
	}
	return m, tx.Commit()
}

// alreadyMoved reports whether a book already has the ledger of a mark. A book with another
// ledger is refused.
func alreadyMoved(ctx context.Context, to *sql.DB, kept Mark) (there bool, err error) {
	tx, err := to.BeginTx(ctx, nil)
	if err != nil {
		return false, err
	}
	defer func() { _ = tx.Rollback() }() // it only reads
	var token pm.Secret
	err = tx.QueryRowContext(ctx, `SELECT secret FROM ledger_token`).Scan(into(token[:]))
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return false, nil
	case err != nil:
		return false, err
	case identity(token) != kept.Ledger:
		return false, refused("move the books", "the book is not empty")
	}
	return true, nil
}

// copyBooks copies everything in one database transaction.
func copyBooks(ctx context.Context, from, to *sql.DB) error {
	tx, err := to.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	var entries int
	if err := tx.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM ledger_entry) + (SELECT count(*)
		FROM ledger_winner) + (SELECT count(*) FROM ledger_epoch)`).Scan(&entries); err != nil {
		return err
	}
	if entries > 0 {
		return refused("move the books", "the book is not empty")
	}
	for _, m := range movedTables() {
		if err := moveTable(ctx, from, tx, m.table, m.columns, nil); err != nil {
			return fmt.Errorf("%s: %w", m.table, err)
		}
		if m.counted == "" {
			continue
		}
		if _, err := tx.ExecContext(ctx, `SELECT setval(pg_get_serial_sequence('`+m.table+`', 'id'),
			(SELECT coalesce(max(id), 0) + 1 FROM `+m.table+`), false)`); err != nil {
			return err
		}
	}
	if err := moveWinners(ctx, from, tx); err != nil {
		return err
	}
	if err := moveState(ctx, from, tx); err != nil {
		return err
	}
	return tx.Commit()
}

// moveTable copies a table. change may modify a row; it gets the row's columns.
func moveTable(ctx context.Context, from *sql.DB, tx *sql.Tx, table, columns string, change func([]any) error) error {
	n := strings.Count(columns, ",") + 1
	insert := `INSERT INTO ` + table + ` (` + columns + `) VALUES (` + strings.Repeat("?, ", n-1) + `?)`
	return each(ctx, from, func(rows *sql.Rows) error {
		values, to := make([]any, n), make([]any, n)
		for i := range values {
			to[i] = &values[i]
		}
		if err := rows.Scan(to...); err != nil {
			return err
		}
		if change != nil {
			if err := change(values); err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx, insert, values...)
		return err
	}, `SELECT `+columns+` FROM `+table)
}

// moveWinners copies the winning tickets with their histories. The shared table assigns new
// numbers.
func moveWinners(ctx context.Context, from *sql.DB, tx *sql.Tx) error {
	numbers := make(map[int64]int64)
	const insert = `INSERT INTO ledger_winner (hash, sender, recipient, face, prob, nonce, rand_hash, round, round_hash,
		sig, rand, expiration, account, credited, won,
		state, since, tx, paid, fee, reason, attempts) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
			?) RETURNING id`
	err := each(ctx, from, func(rows *sql.Rows) error {
		values, to := make([]any, 23), make([]any, 23)
		for i := range values {
			to[i] = &values[i]
		}
		if err := rows.Scan(to...); err != nil {
			return err
		}
		was, ok := values[0].(int64)
		if !ok {
			return fmt.Errorf("%w: a winner has no number", errColumn)
		}
		var id int64
		err := tx.QueryRowContext(ctx, insert, values[1:]...).Scan(&id)
		numbers[was] = id
		return err
	}, `SELECT `+winnerColumns+` FROM ledger_winner ORDER BY id`)
	if err != nil {
		return err
	}
	return moveTable(ctx, from, tx, "ledger_progress", "winner, n, state, tx, paid, fee, reason, at",
		func(row []any) error {
			was, _ := row[0].(int64)
			row[0] = numbers[was]
			return nil
		})
}

func moveState(ctx context.Context, from *sql.DB, tx *sql.Tx) error {
	c, err := readCurrent(ctx, from)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE ledger_state SET last = ?, archived = ?, before = ?, expired = ?, low = ?`,
		c.last, c.archived, int64(c.before), int64(c.expired), int64(c.low))
	return err
}
