package ledger

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// moved are the tables that are taken over as they are, in an order in which each
// finds what it refers to. Those with numbers of their own are named with what counts
// them.
var moved = []struct{ table, columns, counted string }{
	{"ledger_token", "one, secret", ""},
	{"ledger_epoch", "id, secret, state, opened, ended", ""},
	{"ledger_account", "id, sender, name, open, balance, carried, live, price, opened, used", "id"},
	{"ledger_set", "id, epoch, rand_hash, sender, face, prob, expiration, credited, archived", "id"},
	{"ledger_page", "set_id, page, bits", ""},
	{"ledger_entry", "id, kind, account, round, at, session, rand_hash, face, prob, tickets, nonces, expiration, pipeline, model, worker, per_unit, pixels, units, produced, amount, claimed", ""},
	{"ledger_total", totalColumns, ""},
}

// Move copies the books of a database in a file into a book that is new and empty, all
// or nothing. Nobody may have either open. The file stays as it is; Unfinished winners
// in it are known by the book from then on.
func Move(ctx context.Context, from, to *sql.DB) error {
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
	tx, err := to.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	var entries int
	if err := tx.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM ledger_entry) + (SELECT count(*) FROM ledger_winner) + (SELECT count(*) FROM ledger_epoch)`).Scan(&entries); err != nil {
		return err
	}
	if entries > 0 {
		return refused("move the books", "the book is not empty")
	}
	for _, m := range moved {
		if err := moveTable(ctx, from, tx, m.table, m.columns, nil); err != nil {
			return fmt.Errorf("%s: %w", m.table, err)
		}
		if m.counted == "" {
			continue
		}
		if _, err := tx.ExecContext(ctx, `SELECT setval(pg_get_serial_sequence('`+m.table+`', 'id'), (SELECT coalesce(max(id), 0) + 1 FROM `+m.table+`), false)`); err != nil {
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

// moveTable copies a table. change may change a row; it is given its columns.
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

// moveWinners copies the winning tickets with their histories. Their numbers are the
// shared table's to give.
func moveWinners(ctx context.Context, from *sql.DB, tx *sql.Tx) error {
	numbers := make(map[int64]int64)
	const insert = `INSERT INTO ledger_winner (hash, sender, recipient, face, prob, nonce, rand_hash, round, round_hash, sig, rand, expiration, account, credited, won,
		state, since, tx, paid, fee, reason, attempts) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`
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
			return fmt.Errorf("a winner has no number")
		}
		var id int64
		err := tx.QueryRowContext(ctx, insert, values[1:]...).Scan(&id)
		numbers[was] = id
		return err
	}, `SELECT `+winnerColumns+` FROM ledger_winner ORDER BY id`)
	if err != nil {
		return err
	}
	return moveTable(ctx, from, tx, "ledger_progress", "winner, n, state, tx, paid, fee, reason, at", func(row []any) error {
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
