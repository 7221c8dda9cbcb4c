package ledger

import (
	"context"
	"database/sql"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// Filter selects winners. A zero field selects everything.
type Filter struct {
	States            []pm.TicketState
	Sender, Recipient core.Address
	Hash              protocol.Hash
	// Limit bounds the list; 0 is no bound. Before keeps those that were won earlier, After
	// those that were won later.
	Limit         int
	Before, After time.Time
	// OldestFirst turns the order around.
	OldestFirst bool
}

// Unfinished returns the states of winners that have not ended.
func Unfinished() []pm.TicketState {
	return []pm.TicketState{pm.TicketWon, pm.TicketQueued, pm.TicketSubmitted, pm.TicketMined}
}

// where returns the filter as SQL.
func (f *Filter) where() (text string, args []any) {
	var parts []string
	add := func(part string, arg ...any) { parts, args = append(parts, part), append(args, arg...) }
	if len(f.States) > 0 {
		states := make([]any, len(f.States))
		for i, s := range f.States {
			states[i] = string(s)
		}
		add(`state IN (?`+strings.Repeat(`, ?`, len(states)-1)+`)`, states...)
	}
	if !f.Sender.IsZero() {
		add(`sender = ?`, f.Sender[:])
	}
	if !f.Recipient.IsZero() {
		add(`recipient = ?`, f.Recipient[:])
	}
	if !f.Hash.IsZero() {
		add(`hash = ?`, f.Hash[:])
	}
	if !f.Before.IsZero() {
		add(`won < ?`, nanos(f.Before))
	}
	if !f.After.IsZero() {
		add(`won > ?`, nanos(f.After))
	}
	if len(parts) > 0 {
		text = ` WHERE ` + strings.Join(parts, ` AND `)
	}
	if f.OldestFirst {
		text += ` ORDER BY won, id`
	} else {
		text += ` ORDER BY won DESC, id DESC`
	}
	if f.Limit > 0 {
		text, args = text+` LIMIT ?`, append(args, f.Limit)
	}
	return text, args
}

const winnerColumns = `id, hash, sender, recipient, face, prob, nonce, rand_hash, round, round_hash, sig, rand,
	expiration, account, credited, won,
	state, since, tx, paid, fee, reason, attempts`

func scanWinner(rows *sql.Rows) (w pm.Winner, id int64, err error) {
	t := &w.Ticket
	var account string
	var won, since int64
	err = rows.Scan(&id, into(w.Hash[:]), into(t.Sender[:]), into(t.Recipient[:]), wei{&t.FaceValue}, into(t.WinProb[:]),
		&t.SenderNonce, into(t.RecipientRandHash[:]),
		&t.CreationRound, into(t.CreationRoundHash[:]), into(t.Signature[:]), into(t.RecipientRand[:]), &w.ExpirationBlock,
		&account, &w.Credited, &won,
		&w.State, &since, into(w.Tx[:]), wei{&w.Paid}, wei{&w.GasFee}, &w.Reason, &w.Attempts)
	w.Account = pm.Account{Sender: t.Sender, Key: core.ManifestID(account)}
	w.Won, w.Since = timeOf(won), timeOf(since)
	return w, id, err
}

// Winners returns the winning tickets that a filter selects, newest first by default. Those
// that ended long ago are only in totals.
func (r *Reader) Winners(ctx context.Context, f Filter) (out []pm.Winner, err error) {
	where, args := f.where()
	err = each(ctx, r.db, func(rows *sql.Rows) error {
		w, _, err := scanWinner(rows)
		out = append(out, w)
		return err
	}, `SELECT `+winnerColumns+` FROM ledger_winner`+where, args...)
	return out, unreadable("read winning tickets", err)
}

// History returns a winner's states in order; none for an unknown ticket.
func (r *Reader) History(ctx context.Context, hash protocol.Hash) (out []pm.Progress, err error) {
	err = each(ctx, r.db, func(rows *sql.Rows) error {
		p := pm.Progress{Hash: hash}
		var at int64
		err := rows.Scan(&p.State, into(p.Tx[:]), wei{&p.Paid}, wei{&p.GasFee}, &p.Reason, &at)
		p.At = timeOf(at)
		out = append(out, p)
		return err
	}, `SELECT p.state, p.tx, p.paid, p.fee, p.reason, p.at FROM ledger_progress p JOIN ledger_winner w ON w.id = p.winner
		WHERE w.hash = ? ORDER BY n`, hash[:])
	return out, unreadable("read a ticket's history", err)
}

// Counts returns how many winners there are in each state, without those that are
// only in totals.
func (r *Reader) Counts(ctx context.Context) (map[pm.TicketState]int, error) {
	n, err := counts(ctx, r.db)
	return n, unreadable("count winning tickets", err)
}

func counts(ctx context.Context, q querier) (map[pm.TicketState]int, error) {
	counts := make(map[pm.TicketState]int)
	err := each(ctx, q, func(rows *sql.Rows) error {
		var s pm.TicketState
		var n int
		err := rows.Scan(&s, &n)
		counts[s] = n
		return err
	}, `SELECT state, count(*) FROM ledger_winner GROUP BY state`)
	return counts, err
}
