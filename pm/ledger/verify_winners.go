package ledger

import (
	"context"
	"database/sql"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// winners compares each winner with its hash, with the bit that marks its ticket as credited, and with
// its history.
func (c *checker) winners(ctx context.Context) error {
	sets := make(map[protocol.Hash]int64)
	err := each(ctx, c.tx, func(rows *sql.Rows) error {
		var hash protocol.Hash
		var id int64
		err := rows.Scan(&id, into(hash[:]))
		sets[hash] = id
		return err
	}, `SELECT id, rand_hash FROM ledger_set`)
	if err != nil {
		return err
	}
	newest, err := c.readHistoryEnds(ctx)
	if err != nil {
		return err
	}
	err = each(ctx, c.tx, func(rows *sql.Rows) error {
		w, id, err := scanWinner(rows)
		if err != nil {
			return err
		}
		c.report.Winners++
		c.checkWinner(&w, sets[w.Ticket.RecipientRandHash], newest[id])
		delete(newest, id)
		return nil
	}, `SELECT `+winnerColumns+` FROM ledger_winner ORDER BY id`)
	if len(newest) > 0 {
		c.report.addProblem("%d histories belong to no winner", len(newest))
	}
	return err
}

// checkWinner checks one winner.
func (c *checker) checkWinner(w *pm.Winner, set int64, last historyEnd) {
	t := &w.Ticket
	p := pm.Params{
		Recipient: t.Recipient, FaceValue: t.FaceValue, WinProb: t.WinProb, RecipientRandHash: t.RecipientRandHash,
		Expiration: pm.Expiration{Round: t.CreationRound, BlockHash: t.CreationRoundHash},
	}
	if p.TicketHash(t.Sender, uint32(t.SenderNonce)) != w.Hash {
		c.report.addProblem("winner %v: its ticket has another hash", w.Hash)
	}
	if pm.RandHash(t.RecipientRand) != t.RecipientRandHash {
		c.report.addProblem("winner %v: its random number is not that of its ticket", w.Hash)
	}
	if at, i, mask := bit(uint32(t.SenderNonce)); w.Credited && set != 0 && !hasBit(c.marks[set][at], i, mask) {
		c.report.addProblem("winner %v: it is stored as credited, but its ticket is not marked", w.Hash)
	}
	switch {
	case !last.first || last.steps != last.n+1:
		c.report.addProblem("winner %v: a part of its history is missing", w.Hash)
	case last.state != w.State || last.tx != w.Tx || last.paid.Cmp(w.Paid) != 0 || last.fee.Cmp(w.GasFee) != 0 ||
		last.reason != w.Reason || last.at != nanos(w.Since):
		c.report.addProblem("winner %v: its state is %s, but %s in its history", w.Hash, w.State, last.state)
	}
}

// historyEnd is the newest step of a winner's history. n is its number, steps the number of stored steps;
// first: step 0 (the ticket was won) is stored.
type historyEnd struct {
	n, steps int64
	first    bool
	state    pm.TicketState
	tx       protocol.TxHash
	paid     core.Wei
	fee      core.Wei
	reason   string
	at       int64
}

func (c *checker) readHistoryEnds(ctx context.Context) (map[int64]historyEnd, error) {
	out := make(map[int64]historyEnd)
	err := each(ctx, c.tx, func(rows *sql.Rows) error {
		var id int64
		var p historyEnd
		err := rows.Scan(&id, &p.n, &p.state, into(p.tx[:]), wei{&p.paid}, wei{&p.fee}, &p.reason, &p.at)
		was := out[id]
		p.steps, p.first = was.steps+1, was.first || p.n == 0 && p.state == pm.TicketWon
		out[id] = p
		return err
	}, `SELECT winner, n, state, tx, paid, fee, reason, at FROM ledger_progress ORDER BY winner, n`)
	return out, err
}
