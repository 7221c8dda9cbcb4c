package ledger

import (
	"context"
	"database/sql"
	"fmt"
	"math"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/database"
	"github.com/tuttinode/tutti/pm"
)

// maxProblems bounds the problems that a report lists.
const maxProblems = 100

// Report is what Verify found.
type Report struct {
	// Entries are those that are not rolled up, Archived those that are. Accounts,
	// Sets, Tickets and Winners count what is there besides totals.
	Entries, Archived int64
	Accounts, Sets    int64
	Tickets, Winners  int64
	// Received - Billed - Kept + Given is Open, what is in accounts that are open.
	Received, Billed, Kept, Given, Open pm.Value
	// Problems list the inconsistencies; More counts those that are not listed.
	Problems []string
	More     int
}

// OK reports whether the ledger is consistent.
func (r *Report) OK() bool { return len(r.Problems) == 0 }

func (r *Report) addProblem(format string, args ...any) {
	if len(r.Problems) >= maxProblems {
		r.More++
		return
	}
	r.Problems = append(r.Problems, fmt.Sprintf(format, args...))
}

// Verify recomputes balances, sets, totals and tickets from the entries of one snapshot, and
// compares. The error means that the ledger could not be read; inconsistencies are in the
// report.
func (r *Reader) Verify(ctx context.Context) (Report, error) {
	var report Report
	err := r.inSnapshot(ctx, "verify the ledger", func(tx *sql.Tx) error {
		c := &checker{tx: tx, report: &report, dialect: database.DialectOf(r.db)}
		for _, check := range []func(context.Context) error{c.file, c.numbers, c.accounts, c.closings, c.sets, c.tickets,
			c.winners, c.epochs} {
			if err := check(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	return report, err
}

// checker is one verification.
type checker struct {
	tx      *sql.Tx
	report  *Report
	dialect database.Dialect
	// marks are the pages of every set that has not expired.
	marks map[int64]map[int64][]byte
}

// file asks SQLite whether its file is intact. PostgreSQL checks its pages when it reads.
func (c *checker) file(ctx context.Context) error {
	if c.dialect == database.Postgres {
		return nil
	}
	return each(ctx, c.tx, func(rows *sql.Rows) error {
		var text string
		if err := rows.Scan(&text); err != nil {
			return err
		}
		if text != "ok" {
			c.report.addProblem("the file is damaged: %s", text)
		}
		return nil
	}, `PRAGMA quick_check(10)`)
}

// numbers looks for entries that are missing: they are numbered without gaps.
func (c *checker) numbers(ctx context.Context) error {
	now, err := readCurrent(ctx, c.tx)
	if err != nil {
		return err
	}
	var n, first, last int64
	err = c.tx.QueryRowContext(ctx, `SELECT count(*), coalesce(min(id), 0), coalesce(max(id), 0)
		FROM ledger_entry`).Scan(&n, &first, &last)
	if err != nil {
		return err
	}
	c.report.Entries, c.report.Archived = n, now.archived
	switch {
	case n != now.last-now.archived:
		c.report.addProblem("entries %d to %d should be there, %d; there are %d", now.archived+1, now.last,
			now.last-now.archived, n)
	case n > 0 && (first != now.archived+1 || last != now.last):
		c.report.addProblem("entries should be numbered %d to %d, and are %d to %d", now.archived+1, now.last, first, last)
	}
	return nil
}

// sums is what entries say of one account.
type entrySums struct {
	entries int64
	value   pm.Value
}

// accounts compares balances with entries, and each sender's archived amounts with its totals.
func (c *checker) accounts(ctx context.Context) error {
	entered := make(map[int64]entrySums)
	moves, err := movements(ctx, c.tx, span{0, math.MaxInt64})
	if err != nil {
		return err
	}
	counted := int64(0)
	for i := range moves {
		m := &moves[i]
		s := entered[m.account]
		entered[m.account] = entrySums{s.entries + m.entries, s.value.Add(m.value)}
		counted += m.entries
		c.report.Tickets += m.total.Tickets
		c.add(&m.total)
	}
	if counted != c.report.Entries {
		c.report.addProblem("%d entries belong to no account", c.report.Entries-counted)
	}
	carried := make(map[core.Address]pm.Value)
	if err := archivedTotals(ctx, c.tx, func(t *Total) {
		carried[t.Sender] = carried[t.Sender].Add(t.net())
		c.add(t)
	}); err != nil {
		return err
	}
	if err := c.eachAccount(ctx, entered, carried); err != nil {
		return err
	}
	for owner, v := range carried {
		if v.Sign() != 0 {
			c.report.addProblem("sender %v: totals have %v wei more than what was rolled up of its accounts", owner,
				amountText(v))
		}
	}
	if want := c.report.Received.Sub(c.report.Billed).Sub(c.report.Kept).Add(c.report.Given); want.Cmp(
		c.report.Open) != 0 {
		c.report.addProblem("received - billed - kept + given up is %v wei, and open accounts hold %v", amountText(want),
			amountText(c.report.Open))
	}
	return nil
}

func (c *checker) add(t *Total) {
	r := c.report
	r.Received, r.Billed, r.Kept, r.Given = r.Received.Add(t.Received), r.Billed.Add(t.Billed), r.Kept.Add(t.Kept),
		r.Given.Add(t.Given)
}

// eachAccount compares accounts with their entries, and takes what is carried off
// the senders' totals.
func (c *checker) eachAccount(ctx context.Context, entered map[int64]entrySums,
	carried map[core.Address]pm.Value) error {
	return each(ctx, c.tx, func(rows *sql.Rows) error {
		var id, live int64
		var open bool
		var owner pm.Account
		var balance, rolled pm.Value
		if err := rows.Scan(&id, into(owner.Sender[:]), &owner.Key, &open, value{&balance}, value{&rolled},
			&live); err != nil {
			return err
		}
		c.report.Accounts++
		s := entered[id]
		if s.entries != live {
			c.report.addProblem("account %v %q: there should be %d entries, and there are %d", owner.Sender, owner.Key, live,
				s.entries)
		}
		if want := rolled.Add(s.value); want.Cmp(balance) != 0 {
			c.report.addProblem("account %v %q: the balance is %v wei, and by the entries it is %v", owner.Sender, owner.Key,
				amountText(balance), amountText(want))
		}
		if !open && balance.Sign() != 0 {
			c.report.addProblem("account %v %q: it is closed and holds %v wei", owner.Sender, owner.Key, amountText(balance))
		}
		c.report.Open = c.report.Open.Add(balance)
		carried[owner.Sender] = carried[owner.Sender].Sub(rolled)
		return nil
	}, `SELECT id, sender, name, open, balance, carried, live FROM ledger_account ORDER BY id`)
}

// closings reports accounts that were closed with another balance than the caller claimed.
func (c *checker) closings(ctx context.Context) error {
	return each(ctx, c.tx, func(rows *sql.Rows) error {
		var id int64
		var amount, claimed string
		err := rows.Scan(&id, &amount, &claimed)
		c.report.addProblem("entry %d: the account was closed with %s wei, and its owner said %s", id, amount, claimed)
		return err
	}, `SELECT id, amount, claimed FROM ledger_entry WHERE claimed IS NOT NULL ORDER BY id`)
}
