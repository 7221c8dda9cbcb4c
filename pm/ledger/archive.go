package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// Archive rolls up old data. Entries of rounds before the given one go into totals by day,
// round, sender, pipeline, model and worker. Closed accounts without other entries are deleted,
// and so are winners that ended KeepWinners rounds before and longer ago than endedFor; a winner
// that has not ended is never touched. Totals of senders that are long inactive move to the zero
// address. Archive works in small steps between payments and returns when nothing is left to do.
// Errors are those of Append.
func (l *Ledger) Archive(ctx context.Context, before protocol.Round) error {
	const op = "roll up the ledger"
	if before > maxRound {
		return refused(op, fmt.Sprintf("%d is no round", before))
	}
	for more := true; more; {
		r := &request{op: op, exclusive: true, do: func(ctx context.Context, g *group) (err error) {
			more, err = g.archive(ctx, before)
			return err
		}}
		if err := l.enqueueAndWait(ctx, r); err != nil {
			return err
		}
	}
	return l.fold(ctx)
}

func (g *group) archive(ctx context.Context, before protocol.Round) (more bool, err error) {
	if err := g.flushAndReset(ctx); err != nil {
		return false, err
	}
	g.now.before = max(g.now.before, before)
	to, err := g.archivable(ctx, before)
	if err != nil {
		return false, err
	}
	sums := &tally{Query{By: ByDay | ByRound | BySender | ByPipeline | ByModel | ByWorker}, make(map[Key]*Total)}
	s := span{g.now.archived, to}
	if to > s.after {
		if err := errors.Join(g.carry(ctx, s, sums), g.deleteCarried(ctx, s)); err != nil {
			return false, err
		}
	}
	ended, err := g.archiveWinners(ctx, before, sums)
	if err != nil {
		return false, err
	}
	g.wrote, g.totalsChanged = g.wrote || len(sums.sums) > 0, g.totalsChanged || ended > 0
	for _, t := range sums.sums {
		if err := g.addTotal(ctx, t); err != nil {
			return false, err
		}
	}
	return to-s.after == archiveBatch || ended == archiveBatch, nil
}

// archivable returns the last of the oldest entries whose rounds are over. Entries leave in order,
// so that the numbers of the rest have no gaps.
func (g *group) archivable(ctx context.Context, before protocol.Round) (int64, error) {
	to, over := g.now.archived, false
	err := each(ctx, g.tx, func(rows *sql.Rows) error {
		var id int64
		var round protocol.Round
		if err := rows.Scan(&id, &round); err != nil {
			return err
		}
		if over = over || round >= before; !over {
			to = id
		}
		return nil
	}, `SELECT id, round FROM ledger_entry WHERE id > ? ORDER BY id LIMIT ?`, to, archiveBatch)
	return to, err
}

// carry adds entries to the totals and to their accounts' carried amounts.
func (g *group) carry(ctx context.Context, s span, sums *tally) error {
	moves, err := movements(ctx, g.tx, s)
	if err != nil {
		return err
	}
	accounts := make(map[int64]*movement)
	for i := range moves {
		m := &moves[i]
		sums.add(&m.total)
		a := accounts[m.account]
		if a == nil {
			a = &movement{account: m.account}
			accounts[m.account] = a
		}
		a.entries, a.value = a.entries+m.entries, a.value.Add(m.value)
	}
	for id, m := range accounts {
		var carried pm.Value
		if err := g.tx.QueryRowContext(ctx, `SELECT carried FROM ledger_account WHERE id = ?`,
			id).Scan(value{&carried}); err != nil {
			return err
		}
		if _, err := g.tx.ExecContext(ctx, `UPDATE ledger_account SET carried = ?, live = live - ? WHERE id = ?`,
			amountText(carried.Add(m.value)), m.entries, id); err != nil {
			return err
		}
	}
	return nil
}

// deleteCarried deletes carried entries, and closed accounts without entries.
func (g *group) deleteCarried(ctx context.Context, s span) error {
	g.now.archived = s.to
	_, err := g.tx.ExecContext(ctx, `UPDATE ledger_set SET archived = archived + n
		FROM (SELECT rand_hash AS hash, sum(tickets) AS n FROM ledger_entry WHERE kind = 1 AND id > ? AND id <= ?
			GROUP BY rand_hash) AS credits
		WHERE rand_hash = hash`, s.after, s.to)
	if err == nil {
		_, err = g.tx.ExecContext(ctx, `DELETE FROM ledger_entry WHERE id > ? AND id <= ?`, s.after, s.to)
	}
	if err == nil {
		_, err = g.tx.ExecContext(ctx, `DELETE FROM ledger_account WHERE open = 0 AND live = 0 AND carried = '0'`)
	}
	return err
}

// endedFor is for how long in any case a winner that ended is kept, whatever the rounds say: one that
// ended as expired by a false round comes back with the true one. The rounds of KeepWinners take longer.
const endedFor = 7 * 24 * time.Hour

// archiveWinners rolls up winners that ended long ago.
func (g *group) archiveWinners(ctx context.Context, before protocol.Round, sums *tally) (n int, err error) {
	keep := g.l.opt.KeepWinners
	if before <= keep {
		return 0, nil
	}
	totals, ids, err := winnerTotals(ctx, g.tx,
		`round < ? AND since < ? AND state IN (?, ?, ?, ?) ORDER BY round LIMIT ?`,
		int64(before-keep), nanos(g.l.opt.Now().Add(-endedFor)), string(pm.TicketFinal), string(pm.TicketFailed),
		string(pm.TicketExpired), string(pm.TicketHanded), archiveBatch)
	if err != nil {
		return 0, err
	}
	for i := range totals {
		sums.add(&totals[i])
		_, err := g.tx.ExecContext(ctx, `DELETE FROM ledger_progress WHERE winner = ?`, ids[i])
		if err == nil {
			_, err = g.tx.ExecContext(ctx, `DELETE FROM ledger_winner WHERE id = ?`, ids[i])
		}
		if err != nil {
			return 0, err
		}
	}
	return len(ids), nil
}

// addTotal adds to a row of totals.
func (g *group) addTotal(ctx context.Context, t *Total) error {
	was, err := scanTotal(g.tx.QueryRowContext(ctx, `SELECT `+totalColumns+` FROM ledger_total
		WHERE round = ? AND day = ? AND sender = ? AND pipeline = ? AND model = ? AND worker = ?`,
		int64(t.Round), int64(t.Day), t.Sender[:], t.Pipeline, t.Model, t.Worker).Scan)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if err == nil {
		t.add(&was)
	}
	_, err = g.tx.ExecContext(ctx, `INSERT INTO ledger_total (`+totalColumns+`)
		VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)
		ON CONFLICT (round, day, sender, pipeline, model, worker) DO UPDATE
			SET tickets = excluded.tickets, received = excluded.received, jobs = excluded.jobs,
		units = excluded.units, produced = excluded.produced, billed = excluded.billed, kept = excluded.kept,
			given = excluded.given, winners = excluded.winners,
		won = excluded.won, redeemed = excluded.redeemed, expired = excluded.expired, failed = excluded.failed,
			handed = excluded.handed, gas = excluded.gas`,
		int64(t.Day), int64(t.Round), t.Sender[:], t.Pipeline, t.Model, t.Worker, t.Tickets, amountText(t.Received), t.Jobs,
		t.Units.String(), t.Produced.String(),
		amountText(t.Billed), amountText(t.Kept), amountText(t.Given), t.Winners, amountText(t.Won), amountText(t.Redeemed),
		amountText(t.Expired), amountText(t.Failed), amountText(t.Handed), amountText(t.Gas))
	return err
}
