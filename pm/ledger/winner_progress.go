package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// redeemableRounds is for how many rounds after its own a ticket can be redeemed.
const redeemableRounds = 1

// addOrCreditWinner adds a winner. A known one only becomes credited: a ticket whose payment
// was refused may come again and be accepted. A winner that can never be redeemed and was not
// credited is ignored.
func (g *group) addOrCreditWinner(ctx context.Context, w *pm.Winner) error {
	if !w.Credited && w.Ticket.CreationRound+redeemableRounds < g.now.before {
		return nil
	}
	known, err := g.readStatus(ctx, w.Hash)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return g.addWinner(ctx, w)
	case err != nil:
		return err
	case w.Credited && !known.credited:
		g.touched = append(g.touched, known.id)
		_, err = g.exec(ctx, creditWinner, string(w.Account.Key), known.id)
	}
	return err
}

func (g *group) addWinner(ctx context.Context, w *pm.Winner) error {
	t := &w.Ticket
	id, err := g.insert(ctx, addWinner, w.Hash[:], t.Sender[:], t.Recipient[:], t.FaceValue.String(), t.WinProb[:],
		int64(t.SenderNonce), t.RecipientRandHash[:],
		int64(t.CreationRound), t.CreationRoundHash[:], t.Signature[:], t.RecipientRand[:],
		int64(w.ExpirationBlock), string(w.Account.Key), w.Credited, nanos(w.Won), string(pm.TicketWon), nanos(w.Won),
		make([]byte, len(protocol.TxHash{})))
	if err != nil {
		return err
	}
	return g.addProgress(ctx, id, 0, &pm.Progress{State: pm.TicketWon, At: w.Won})
}

func (g *group) addProgress(ctx context.Context, winner, n int64, p *pm.Progress) error {
	g.touched = append(g.touched, winner)
	_, err := g.exec(ctx, addProgress, winner, n, string(p.State), p.Tx[:], p.Paid.String(), p.GasFee.String(), p.Reason,
		nanos(p.At))
	return err
}

// winnerStatus is the stored state of a winner.
type winnerStatus struct {
	id       int64
	credited bool
	state    pm.TicketState
	tx       protocol.TxHash
	paid     core.Wei
	fee      core.Wei
	reason   string
	attempts int64
	steps    int64
}

func (g *group) readStatus(ctx context.Context, hash protocol.Hash) (s winnerStatus, err error) {
	err = g.queryRow(ctx, findWinner, hash[:]).Scan(&s.id, &s.credited, &s.state, into(s.tx[:]), wei{&s.paid},
		wei{&s.fee}, &s.reason, &s.attempts, &s.steps)
	return s, err
}

// progress writes a winner's next state. A final ticket is counted as income, so it stays.
func (g *group) progress(ctx context.Context, op string, p *pm.Progress) error {
	s, err := g.readStatus(ctx, p.Hash)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return refused(op, fmt.Sprintf("the ledger knows no winning ticket %v", p.Hash))
	case err != nil:
		return err
	case s.state == p.State && s.tx == p.Tx && s.paid.Cmp(p.Paid) == 0 && s.fee.Cmp(p.GasFee) == 0 && s.reason == p.Reason:
		return nil
	case s.state == pm.TicketFinal:
		return refused(op, fmt.Sprintf("the ticket %v is final", p.Hash))
	}
	if p.State == pm.TicketSubmitted && (s.state != pm.TicketSubmitted || s.tx != p.Tx) {
		s.attempts++
	}
	if err := g.addProgress(ctx, s.id, s.steps, p); err != nil {
		return err
	}
	_, err = g.exec(ctx, updateWinner, string(p.State), nanos(p.At), p.Tx[:], p.Paid.String(), p.GasFee.String(),
		p.Reason, s.attempts, s.id)
	return err
}
