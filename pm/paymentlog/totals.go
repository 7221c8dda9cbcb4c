package paymentlog

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/pm"
)

// dayForm is how days are written, in UTC.
const dayForm = "2006-01-02"

// Group is the key of a sum. A field that was not requested is empty.
type Group struct {
	Day             string
	Recipient       core.Address
	Pipeline, Model string
}

// Total is the sum of some payments. Unsent ones do not count.
type Total struct {
	Group
	Payments, Tickets int64
	// Value is the expected value of the tickets together; Open is the part of it for which no
	// work was billed: refused, failed, unknown, or not answered yet.
	Value, Open pm.Value
	// Units and Billed are the work that was done. Costs at unusual prices are rounded up, see
	// pm.Value.RoundedUp.
	Units  int64
	Billed pm.Value
	// Cost is what the jobs cost, Billed included; see Payment.Cost. Charged is the part of it that was charged to
	// clients' requests, of each job in whole wei, rounded up: the sum of what API keys spent.
	Cost    pm.Value
	Charged core.Wei
}

// Query selects payments, and the fields to sum by.
type Query struct {
	// From and To bound the days, both included; "" is no bound.
	From, To string
	// By day, recipient, and pipeline and model.
	Day, Recipient, Model bool
}

// Totals sums up payments, including those that are no longer stored one by one.
func (s *Store) Totals(ctx context.Context, q Query) ([]Total, error) {
	if err := s.Flush(ctx); err != nil {
		return nil, err
	}
	s.folding.RLock()
	defer s.folding.RUnlock()
	sums := make(map[Group]*Total)
	take := func(t *Total) {
		if q.From != "" && t.Day < q.From || q.To != "" && t.Day > q.To {
			return
		}
		g := q.group(t.Group)
		sum := sums[g]
		if sum == nil {
			sum = &Total{Group: g}
			sums[g] = sum
		}
		sum.add(t)
	}
	if err := s.eachTotal(ctx, take); err != nil {
		return nil, failed("sum up payments", err)
	}
	if err := s.each(ctx, func(p *Payment) error { take(totalOf(p)); return nil }); err != nil {
		return nil, err
	}
	out := make([]Total, 0, len(sums))
	for _, t := range sums {
		out = append(out, *t)
	}
	slices.SortFunc(out, func(a, b Total) int { return compare(a.Group, b.Group) })
	return out, nil
}

func (q *Query) group(g Group) (out Group) {
	if q.Day {
		out.Day = g.Day
	}
	if q.Recipient {
		out.Recipient = g.Recipient
	}
	if q.Model {
		out.Pipeline, out.Model = g.Pipeline, g.Model
	}
	return out
}

func compare(a, b Group) int {
	return cmp.Or(cmp.Compare(a.Day, b.Day), slices.Compare(a.Recipient[:], b.Recipient[:]),
		cmp.Compare(a.Pipeline, b.Pipeline), cmp.Compare(a.Model, b.Model))
}

func (t *Total) add(o *Total) {
	t.Payments += o.Payments
	t.Tickets += o.Tickets
	t.Value, t.Open = t.Value.Add(o.Value), t.Open.Add(o.Open)
	t.Units += o.Units
	t.Billed = t.Billed.Add(o.Billed)
	t.Cost, t.Charged = t.Cost.Add(o.Cost), t.Charged.Add(o.Charged)
}

// totalOf returns one payment's part.
func totalOf(p *Payment) *Total {
	t := &Total{Group: Group{Day: p.At.UTC().Format(dayForm), Recipient: p.Recipient, Pipeline: p.Pipeline,
		Model: p.Model}}
	if p.State == Unsent {
		return t
	}
	t.Payments, t.Tickets, t.Value = 1, p.Tickets(), p.Value()
	t.Cost, t.Charged = p.Cost(), p.Charged
	if p.State == Answered {
		t.Units, t.Billed = p.Units, p.Price.Cost(p.Units)
	} else {
		t.Open = t.Value
	}
	return t
}

// eachTotal reads the sums of older payments.
func (s *Store) eachTotal(ctx context.Context, f func(*Total)) error {
	rows, err := s.db.QueryContext(ctx, `SELECT day, recipient, pipeline, model, payments, tickets, value, open, units,
		billed, cost, charged
		FROM spent_total WHERE sender = ?`, s.opt.Sender[:])
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		t, err := scanTotal(rows)
		if err != nil {
			return err
		}
		f(&t)
	}
	return errors.Join(rows.Err(), rows.Close())
}

func scanTotal(rows *sql.Rows) (t Total, err error) {
	var recipient, value, open []byte
	var billed, cost, charged string
	err = rows.Scan(&t.Day, &recipient, &t.Pipeline, &t.Model, &t.Payments, &t.Tickets, &value, &open, &t.Units, &billed,
		&cost, &charged)
	if err != nil {
		return t, err
	}
	bill, ok := new(big.Rat).SetString(billed)
	if !ok || len(recipient) != len(t.Recipient) {
		return t, fmt.Errorf("the sum of %s: %w", t.Day, errDamaged)
	}
	t.Recipient, t.Billed = core.Address(recipient), pm.ValueOf(bill).RoundedUp()
	t.Value, t.Open = fromNumerator(value), fromNumerator(open)
	if t.Cost, err = valueOf(cost); err != nil {
		return t, fmt.Errorf("the sum of %s: %w", t.Day, err)
	}
	if cost == "" {
		t.Cost = t.Billed.Add(t.Open)
	}
	if t.Charged, err = core.ParseWei(charged); err != nil {
		return t, fmt.Errorf("the sum of %s: %w", t.Day, err)
	}
	return t, nil
}

// denominator is that of every ticket's expected value: 2^256-1.
func denominator() *big.Int {
	one := big.NewInt(1)
	return new(big.Int).Sub(new(big.Int).Lsh(one, 256), one)
}

// numerator returns a sum of expected values as a whole number over the denominator.
func numerator(v pm.Value) []byte {
	r := v.Rat()
	n := new(big.Int).Mul(r.Num(), denominator())
	return n.Quo(n, r.Denom()).Bytes() // it divides, and is not negative
}

func fromNumerator(b []byte) pm.Value {
	return pm.ValueOf(new(big.Rat).SetFrac(new(big.Int).SetBytes(b), denominator()))
}

// Day returns a time's day as Query has it.
func Day(t time.Time) string { return t.UTC().Format(dayForm) }
