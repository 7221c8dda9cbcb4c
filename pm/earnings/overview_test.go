package earnings_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/pm/earnings"
	"github.com/tuttinode/tutti/pm/ledger"
)

// The columns of an overview are the rows of the reports by day and round, and its
// tables have the same total.
func TestOverviewIsOneSnapshot(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		totals := drawTotals(t)
		minted := []earnings.Reward{{Round: 1, At: time.Unix(86400, 0), Amount: core.NewLPT(5)},
			{Round: 2, At: time.Unix(86400, 0), Amount: core.NewLPT(7)}}
		o := earnings.MakeOverview(totals, minted, ledger.Day(1), 2)
		for _, r := range earnings.MakeIncome(earnings.Day, totals, minted).Rows {
			if r.Day == 1 && (r.Billed.Cmp(o.Today.Billed) != 0 || r.Tickets != o.Today.Tickets ||
				r.Reward.Cmp(o.Today.Reward) != 0) {
				t.Fatalf("today is %+v, the day's row %+v", o.Today, r)
			}
		}
		for _, r := range earnings.MakeIncome(earnings.Round, totals, minted).Rows {
			if r.Round == 2 && (r.Won.Cmp(o.ThisRound.Won) != 0 || r.Jobs != o.ThisRound.Jobs ||
				r.Reward.Cmp(o.ThisRound.Reward) != 0) {
				t.Fatalf("this round is %+v, the round's row %+v", o.ThisRound, r)
			}
		}
		for _, in := range []*earnings.Income{o.Gateways, o.Models, o.OfWorkers} {
			if in.Total.Received.Cmp(o.All.Received) != 0 || in.Total.Waiting.Cmp(o.All.Waiting) != 0 {
				t.Fatalf("a table's total is %+v, all is %+v", in.Total, o.All)
			}
		}
		if a := o.Answer(); a.Day != "1970-01-02" || a.Round != 2 || a.Total.Reward == nil ||
			a.Total.Reward.String() != "12" {
			t.Fatalf("%+v", a)
		}
	})
}
