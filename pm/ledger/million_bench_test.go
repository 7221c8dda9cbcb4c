//go:build cgo

package ledger_test

import (
	"os"
	"strconv"
	"testing"

	"github.com/tuttinode/tutti/pm/earnings"
	"github.com/tuttinode/tutti/pm/ledger"
)

// BenchmarkReports is what the operator's page asks of the books, with a million
// tickets in them of which one in ten won, none of them put away yet: the worst that
// there is. TUTTI_LEDGER_TICKETS makes it another number.
func BenchmarkReports(b *testing.B) {
	tickets := 1_000_000
	if text := os.Getenv("TUTTI_LEDGER_TICKETS"); text != "" {
		var err error
		tickets, err = strconv.Atoi(text)
		must(b, err)
	}
	l := open(b, b.TempDir())
	pay(b, l, 0, tickets*9/10, 1, false)
	pay(b, l, tickets*9/10/block*block+block, tickets*9/10/block*block+block+tickets/10, 1, true)
	sum := l.Summary()
	for _, r := range []struct {
		name string
		read func() error
	}{
		{"overview", func() error { _, err := l.Totals(b.Context(), earnings.OverviewQuery()); return err }},
		{"income by day", func() error { _, err := l.Totals(b.Context(), earnings.Day.Query()); return err }},
		{"workers", func() error { _, err := l.Totals(b.Context(), earnings.WorkersQuery()); return err }},
		{"summary for the first time", func() error { fresh := l.Summary(); catchUp(b, fresh); return nil }},
		{"summary, nothing new", func() error { catchUp(b, sum); return nil }},
		{"overview of the summary", func() error { _, err := sum.Totals(b.Context(), earnings.OverviewQuery()); return err }},
		{"income by day of the summary", func() error {
			_, err := sum.Totals(b.Context(),
				earnings.Day.Query())
			return err
		}},
		{"workers of the summary", func() error { _, err := sum.Totals(b.Context(), earnings.WorkersQuery()); return err }},
		{"newest 25 tickets", func() error { _, err := l.Winners(b.Context(), ledger.Filter{Limit: 25}); return err }},
		{"tickets by state", func() error { _, err := l.Counts(b.Context()); return err }},
	} {
		b.Run(r.name, func(b *testing.B) {
			for b.Loop() {
				must(b, r.read())
			}
		})
	}
}
