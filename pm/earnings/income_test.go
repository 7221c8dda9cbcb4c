package earnings_test

import (
	"fmt"
	"math/big"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/earnings"
	"github.com/tuttinode/tutti/pm/ledger"
)

func rewards() []earnings.Reward {
	return []earnings.Reward{
		{Round: 7, At: time.Unix(20000*86400, 0), Amount: core.NewLPT(4)},
		{Round: 10, At: time.Unix(20002*86400, 0), Amount: core.NewLPT(5)},
	}
}

func TestGroupings(t *testing.T) {
	t.Parallel()
	tests := []struct {
		by   string
		want []string
	}{
		{"", []string{"| tickets 31 jobs 6 billed 60 reward 9 share 1"}},
		{"day", []string{
			"2024-10-04 | tickets 31 jobs 3 billed 30 reward 4 share 0.5",
			"2024-10-05 | tickets 0 jobs 3 billed 30 reward 0 share 0.5",
			"2024-10-06 | tickets 0 jobs 0 billed 0 reward 5 share 0"}},
		{"gateway", []string{
			"0x0a00000000000000000000000000000000000001 | tickets 30 jobs 3 billed 30 reward - share 0.5",
			"0x0B00000000000000000000000000000000000002 | tickets 1 jobs 3 billed 30 reward - share 0.5"}},
		{"model", []string{
			"llm =m | tickets 1 jobs 1 billed 10 reward - share 0.16666666666666666",
			"transcoding | tickets 30 jobs 5 billed 50 reward - share 0.8333333333333334"}},
		{"worker", []string{
			"| tickets 31 jobs 0 billed 0 reward - share 0",
			"-gpu | tickets 0 jobs 1 billed 10 reward - share 0.16666666666666666",
			"gpu-0 | tickets 0 jobs 5 billed 50 reward - share 0.8333333333333334"}},
		{"round,day", []string{
			"2024-10-04 7 | tickets 30 jobs 3 billed 30 reward 4 share 0.5",
			"2024-10-04 8 | tickets 1 jobs 0 billed 0 reward 0 share 0",
			"2024-10-05 8 | tickets 0 jobs 1 billed 10 reward 0 share 0.16666666666666666",
			"2024-10-05 9 | tickets 0 jobs 2 billed 20 reward 0 share 0.3333333333333333",
			"2024-10-06 10 | tickets 0 jobs 0 billed 0 reward 5 share 0"}},
	}
	for _, tt := range tests {
		t.Run(tt.by, func(t *testing.T) {
			t.Parallel()
			by, err := earnings.ParseBy(tt.by)
			if err != nil {
				t.Fatal(err)
			}
			answer := earnings.MakeIncome(by, books(), rewards()).Answer()
			var got []string
			for _, r := range answer.Rows {
				var about []string
				if r.Day != "" {
					about = append(about, r.Day)
				}
				if r.Round != nil {
					about = append(about, fmt.Sprint(*r.Round))
				}
				if r.Gateway != nil {
					about = append(about, r.Gateway.String())
				}
				about = append(about, strings.Fields(r.Pipeline+" "+r.Model+" "+r.Worker)...)
				got = append(got, strings.TrimSpace(fmt.Sprintf("%s | tickets %d jobs %d billed %s reward %s share %v",
					strings.Join(about, " "), r.Tickets, r.Jobs, r.Billed, rewardText(r.Reward), r.Share)))
			}
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

// rewardText is a reward, or a dash where rows have none.
func rewardText(w *core.LPT) string {
	if w == nil {
		return "-"
	}
	return w.String()
}

func TestTotalIsExact(t *testing.T) {
	t.Parallel()
	total := earnings.MakeIncome(earnings.Gateway, books(), nil).Answer().Total
	if total.Received != "38.333333333333333333" || total.WonValue.String() != "609" ||
		total.Redeemed.String() != "300" || total.Waiting.String() != "300" ||
		total.Expired.String() != "9" || total.Gas.String() != "20" || total.Units != 3110 || total.Produced != 40 ||
		total.Won != 3 {
		t.Errorf("%+v", total)
	}
}

func TestParseByRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"week", "day,day", "day,", ",", "Day", "day model"} {
		if by, err := earnings.ParseBy(text); err == nil {
			t.Errorf("%q is %v", text, by.Names())
		}
	}
	by, err := earnings.ParseBy("worker,day,model")
	if err != nil || strings.Join(by.Names(), " ") != "day model worker" ||
		by.Query().By != ledger.ByDay|ledger.ByPipeline|ledger.ByModel|ledger.ByWorker {
		t.Errorf("%v, %v", by.Names(), err)
	}
}

// every are all combinations of groupings.
func every() (out []earnings.By) {
	for by := earnings.By(0); by < earnings.Worker<<1; by++ {
		out = append(out, by)
	}
	return out
}

// Whatever rows are told apart by, they add up to the same total, exactly, no two
// rows are about the same, and shares add up to one.
func TestRowsAddUp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		totals, minted := drawTotals(t), rewards()
		whole := earnings.MakeIncome(0, totals, minted).Total
		for _, by := range every() {
			in := earnings.MakeIncome(by, totals, minted)
			var sums [12]pm.Value
			var tickets, jobs, winners int64
			units, reward, shares, seen := new(big.Int), core.LPT{}, 0.0, map[ledger.Key]bool{}
			for i := range in.Rows {
				r := &in.Rows[i]
				for j, v := range values(r) {
					sums[j] = sums[j].Add(v)
				}
				tickets, jobs, winners, shares = tickets+r.Tickets, jobs+r.Jobs, winners+r.Winners, shares+r.Share
				units.Add(units, r.Units)
				reward = reward.Add(r.Reward)
				if seen[r.Key] {
					t.Fatalf("%v: two rows of %+v", by.Names(), r.Key)
				}
				seen[r.Key] = true
			}
			for j, v := range values(&whole) {
				if sums[j].Cmp(v) != 0 || values(&in.Total)[j].Cmp(v) != 0 {
					t.Fatalf("%v: amount %d: rows %s, total %s, in all %s", by.Names(), j, sums[j], values(&in.Total)[j], v)
				}
			}
			if tickets != whole.Tickets || jobs != whole.Jobs || winners != whole.Winners || units.Cmp(whole.Units) != 0 ||
				reward.Cmp(in.Total.Reward) != 0 {
				t.Fatalf("%v: %d %d %d %s %s", by.Names(), tickets, jobs, winners, units, reward)
			}
			if whole.Billed.Sign() > 0 && (shares < 0.999999 || shares > 1.000001) {
				t.Fatalf("%v: shares %v", by.Names(), shares)
			}
		}
	})
}

func values(r *earnings.Row) []pm.Value {
	return []pm.Value{r.Received, r.Billed, r.Kept, r.Given, r.Won, r.Redeemed, r.Waiting, r.Mined, r.Handed, r.Expired,
		r.Failed, r.Gas}
}

// A reward is counted once, and only where it belongs to a row.
func TestRewardsBelongToRounds(t *testing.T) {
	t.Parallel()
	for _, by := range every() {
		want := "9"
		if by&^(earnings.Day|earnings.Round) != 0 {
			want = "0"
		}
		if got := earnings.MakeIncome(by, nil, rewards()).Total.Reward.String(); got != want {
			t.Errorf("%v: %s, want %s", by.Names(), got, want)
		}
	}
	rows := earnings.MakeIncome(earnings.Round, nil, rewards()).Rows
	if len(rows) != 2 || rows[1].Round != protocol.Round(10) {
		t.Errorf("%+v", rows)
	}
}
