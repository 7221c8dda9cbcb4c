package ledger

import (
	"context"
	"database/sql"
)

// statement is a prepared statement that every group uses.
type statement int

const (
	findAccount statement = iota
	addAccount
	setAccount
	findSet
	addSet
	countSet
	findPage
	setPage
	addCredit
	addDebit
	addClosing
	findWinner
	addWinner
	creditWinner
	updateWinner
	addProgress
	findState
	setState
	statements
)

// statementSQL is indexed by statement. Read-only.
var statementSQL = [statements]string{
	findAccount: `SELECT id, open, balance, live, price FROM ledger_account WHERE sender = ? AND name = ?`,
	addAccount: `INSERT INTO ledger_account (sender, name, open, balance, carried, live, price, opened, used)
		VALUES (?, ?, 0, '0', '0', 0, '', ?, ?) RETURNING id`,
	setAccount: `UPDATE ledger_account SET open = ?1, balance = ?2, live = ?3, price = ?4,
		used = CASE WHEN used > ?5 THEN used ELSE ?5 END WHERE id = ?6`,
	findSet: `SELECT id, sender, face, prob, expiration, credited FROM ledger_set WHERE rand_hash = ?`,
	addSet: `INSERT INTO ledger_set (epoch, rand_hash, sender, face, prob, expiration, credited, archived)
		VALUES (?, ?, ?, ?, ?, ?, 0, 0) RETURNING id`,
	countSet: `UPDATE ledger_set SET credited = ? WHERE id = ?`,
	findPage: `SELECT bits FROM ledger_page WHERE set_id = ? AND page = ?`,
	setPage: `INSERT INTO ledger_page (set_id, page, bits) VALUES (?, ?, ?)
		ON CONFLICT (set_id, page) DO UPDATE SET bits = excluded.bits`,
	addCredit: `INSERT INTO ledger_entry (id, kind, account, round, at, session, rand_hash, face, prob, tickets, nonces,
		expiration)
		VALUES (?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
	addDebit: `INSERT INTO ledger_entry (id, kind, account, round, at, session, pipeline, model, worker, per_unit, pixels,
		units, produced)
		VALUES (?, 2, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
	addClosing: `INSERT INTO ledger_entry (id, kind, account, round, at, amount, claimed, stale)
		VALUES (?, 3, ?, ?, ?, ?, ?, ?)`,
	findWinner: `SELECT id, credited, state, tx, paid, fee, reason, attempts,
		(SELECT count(*) FROM ledger_progress WHERE winner = id) FROM ledger_winner WHERE hash = ?`,
	addWinner: `INSERT INTO ledger_winner (hash, sender, recipient, face, prob, nonce, rand_hash, round, round_hash, sig,
		rand,
		expiration, account, credited, won, state, since, tx, paid, fee, reason, attempts)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '0', '0', '', 0) RETURNING id`,
	creditWinner: `UPDATE ledger_winner SET credited = 1, account = ? WHERE id = ?`,
	updateWinner: `UPDATE ledger_winner SET state = ?, since = ?, tx = ?, paid = ?, fee = ?, reason = ?, attempts = ?
		WHERE id = ?`,
	addProgress: `INSERT INTO ledger_progress (winner, n, state, tx, paid, fee, reason, at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
	findState: `SELECT last, archived, before, expired, low, commits FROM ledger_state`,
	setState: `UPDATE ledger_state SET last = ?1, archived = ?2, before = ?3, expired = ?4, low = ?5, commits = commits + 1
		WHERE last = ?6 AND archived = ?7 AND commits = ?8 AND EXISTS (SELECT 1 FROM ledger_epoch WHERE id = ?9
			AND state = 'open')`,
}

// prepared are the statements of one database, which closes them with itself.
type prepared [statements]*sql.Stmt

// prepare prepares some statements.
func prepare(ctx context.Context, db *sql.DB, which ...statement) (out *prepared, err error) {
	out = new(prepared)
	for _, i := range which {
		if out[i], err = db.PrepareContext(ctx, statementSQL[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// allStatements returns all statements.
func allStatements() []statement {
	out := make([]statement, statements)
	for i := range out {
		out[i] = statement(i)
	}
	return out
}

// exec runs a statement in the group's database transaction.
func (g *group) exec(ctx context.Context, s statement, args ...any) (sql.Result, error) {
	g.wrote = true
	return g.tx.StmtContext(ctx, g.stmts[s]).ExecContext(ctx, args...)
}

// insert runs a statement that inserts a row, and returns its number.
func (g *group) insert(ctx context.Context, s statement, args ...any) (id int64, err error) {
	g.wrote = true
	err = g.queryRow(ctx, s, args...).Scan(&id)
	return id, err
}

// queryRow runs a statement that returns one row.
func (g *group) queryRow(ctx context.Context, s statement, args ...any) *sql.Row {
	return g.tx.StmtContext(ctx, g.stmts[s]).QueryRowContext(ctx, args...)
}
