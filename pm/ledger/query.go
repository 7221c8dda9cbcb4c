package ledger

import (
	"cmp"
	"context"
	"database/sql"
	"math"
	"math/big"
	"slices"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// By selects the fields by which totals are grouped.
type By uint8

// The grouping fields; combine them with |.
const (
	ByDay By = 1 << iota
	ByRound
	BySender
	ByPipeline
	ByModel
	ByWorker
)

// Query selects totals. A zero field selects everything.
type Query struct {
	By By
	// The first and last round and day, and the sender.
	FromRound, ToRound protocol.Round
	FromDay, ToDay     Day
	Sender             core.Address
}

func (q *Query) matches(k *Key) bool {
	return k.Round >= q.FromRound && (q.ToRound == 0 || k.Round <= q.ToRound) &&
		k.Day >= q.FromDay && (q.ToDay == 0 || k.Day <= q.ToDay) && (q.Sender.IsZero() || k.Sender == q.Sender)
}

// Of keeps the fields of a key by which totals are grouped.
func (b By) Of(k Key) (out Key) {
	if b&ByDay != 0 {
		out.Day = k.Day
	}
	if b&ByRound != 0 {
		out.Round = k.Round
	}
	if b&BySender != 0 {
		out.Sender = k.Sender
	}
	if b&ByPipeline != 0 {
		out.Pipeline = k.Pipeline
	}
	if b&ByModel != 0 {
		out.Model = k.Model
	}
	if b&ByWorker != 0 {
		out.Worker = k.Worker
	}
	return out
}

// tally adds up totals.
type tally struct {
	query Query
	sums  map[Key]*Total
}

func (s *tally) add(t *Total) {
	if !s.query.matches(&t.Key) {
		return
	}
	k := s.query.By.Of(t.Key)
	to := s.sums[k]
	if to == nil {
		to = &Total{Key: k, Units: new(big.Int), Produced: new(big.Int)}
		s.sums[k] = to
	}
	to.add(t)
}

// Totals adds up everything the query chooses, with what was rolled up, in the
// order of days, rounds, senders, pipelines, models and workers.
func (r *Reader) Totals(ctx context.Context, query Query) ([]Total, error) {
	s := &tally{query, make(map[Key]*Total)}
	if err := r.inSnapshot(ctx, "add up the ledger", func(tx *sql.Tx) error { return s.read(ctx, tx) }); err != nil {
		return nil, err
	}
	return s.sorted(), nil
}

// sorted returns the sums in their order.
func (s *tally) sorted() []Total {
	out := make([]Total, 0, len(s.sums))
	for _, t := range s.sums {
		out = append(out, *t)
	}
	slices.SortFunc(out, func(a, b Total) int { return compareKeys(a.Key, b.Key) })
	return out
}

func (s *tally) read(ctx context.Context, tx *sql.Tx) error {
	if err := archivedTotals(ctx, tx, func(t *Total) { s.add(t) }); err != nil {
		return err
	}
	moves, err := movements(ctx, tx, span{0, math.MaxInt64})
	if err != nil {
		return err
	}
	for i := range moves {
		s.add(&moves[i].total)
	}
	winners, _, err := winnerTotals(ctx, tx, `1 = 1`)
	for i := range winners {
		s.add(&winners[i])
	}
	return err
}

func compareKeys(a, b Key) int {
	return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.Round, b.Round), slices.Compare(a.Sender[:], b.Sender[:]),
		cmp.Compare(a.Pipeline, b.Pipeline), cmp.Compare(a.Model, b.Model), cmp.Compare(a.Worker, b.Worker))
}

const totalColumns = `day, round, sender, pipeline, model, worker, tickets, received, jobs, units, produced, billed,
	kept, given,
	winners, won, redeemed, expired, failed, handed, gas`

// archivedTotals are those of entries and winners that were rolled up.
func archivedTotals(ctx context.Context, q querier, f func(*Total)) error {
	return each(ctx, q, func(rows *sql.Rows) error {
		t, err := scanTotal(rows.Scan)
		f(&t)
		return err
	}, `SELECT `+totalColumns+` FROM ledger_total`)
}

func scanTotal(scan func(...any) error) (t Total, err error) {
	t.Units, t.Produced = new(big.Int), new(big.Int)
	err = scan(&t.Day, &t.Round, into(t.Sender[:]), &t.Pipeline, &t.Model, &t.Worker, &t.Tickets, value{&t.Received},
		&t.Jobs, bigInt{t.Units}, bigInt{t.Produced},
		value{&t.Billed}, value{&t.Kept}, value{&t.Given}, &t.Winners, value{&t.Won}, value{&t.Redeemed}, value{&t.Expired},
		value{&t.Failed}, value{&t.Handed}, value{&t.Gas})
	return t, err
}

// net returns what a total adds to the balances of accounts.
func (t *Total) net() pm.Value { return t.Received.Sub(t.Billed).Sub(t.Kept).Add(t.Given) }
