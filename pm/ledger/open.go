package ledger

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// readOpening marks the ledger as in use and reads what it remembers, in one transaction.
func readOpening(ctx context.Context, opt Options) (o pm.Opening, at current, err error) {
	tx, err := opt.DB.BeginTx(ctx, nil)
	if err != nil {
		return o, at, err
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	for _, step := range []func(context.Context, *sql.Tx, Options, *pm.Opening) error{readToken, checkMark, repairHeight,
		beginEpoch,
		readRetired, openBalances, openSessions, openDebts} {
		if err := step(ctx, tx, opt, &o); err != nil {
			return o, at, err
		}
	}
	if at, err = readCurrent(ctx, tx); err != nil {
		return o, at, err
	}
	o.Expired = at.expired // the chain's height when sets were dropped last
	return o, at, tx.Commit()
}

// readToken reads the secret of auth tokens, or makes it.
func readToken(ctx context.Context, tx *sql.Tx, opt Options, o *pm.Opening) error {
	err := tx.QueryRowContext(ctx, `SELECT secret FROM ledger_token`).Scan(into(o.Token[:]))
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if _, err := io.ReadFull(opt.Rand, o.Token[:]); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO ledger_token (one, secret) VALUES (1, ?)`, o.Token[:])
	return err
}

func openBalances(ctx context.Context, tx *sql.Tx, _ Options, o *pm.Opening) error {
	return each(ctx, tx, func(rows *sql.Rows) error {
		var b pm.Balance
		var name string
		var used int64
		err := rows.Scan(into(b.Account.Sender[:]), &name, value{&b.Value}, &used)
		b.Account.Key, b.Used = core.ManifestID(name), timeOf(used)
		o.Balances = append(o.Balances, b)
		return err
	}, `SELECT sender, name, balance, used FROM ledger_account WHERE open = 1 ORDER BY id`)
}

// Of the open accounts' sessions those are read that are in the last recentEntries entries, and not older than
// recentTime, in which the tokens of all have ended.
const (
	recentEntries = 1 << 17
	recentTime    = time.Hour
)

// openSessions reads in which sessions the open accounts were paid and charged last.
func openSessions(ctx context.Context, tx *sql.Tx, opt Options, o *pm.Opening) error {
	all := make(map[pm.Account]*pm.Balance, len(o.Balances))
	for i := range o.Balances {
		all[o.Balances[i].Account] = &o.Balances[i]
	}
	return each(ctx, tx, func(rows *sql.Rows) error {
		var id pm.Account
		var name, session string
		err := rows.Scan(into(id.Sender[:]), &name, &session)
		id.Key = core.ManifestID(name)
		if b := all[id]; b != nil {
			b.Sessions = append(b.Sessions, core.SessionID(session))
		}
		return err
	}, `SELECT a.sender, a.name, e.session FROM ledger_entry e JOIN ledger_account a ON a.id = e.account
		WHERE a.open = 1 AND e.session IS NOT NULL AND e.at >= ?1 AND e.id > (SELECT last FROM ledger_state) - ?2
		GROUP BY a.id, a.sender, a.name, e.session ORDER BY max(e.id)`, opt.Now().Add(-recentTime).UnixNano(), recentEntries)
}

// current is the ledger's single row of state.
type current struct {
	last, archived int64
	// commits counts the committed groups. After a commit with an unknown outcome it tells
	// whether the commit happened.
	commits int64
	before  protocol.Round
	expired protocol.L1Block
	// low is the chain's height when expired was found to be wrong.
	low protocol.L1Block
}

func readCurrent(ctx context.Context, q querier) (current, error) {
	return scanCurrent(q.QueryRowContext(ctx, statementSQL[findState]))
}

func scanCurrent(row *sql.Row) (c current, err error) {
	err = row.Scan(&c.last, &c.archived, &c.before, &c.expired, &c.low, &c.commits)
	return c, err
}
