package earnings_test

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/pm/earnings"
	"github.com/tuttinode/tutti/pm/ledger"
)

// shortBooks are tickets of every outcome, one of them paid short and two of them with
// another process's redeemer.
func shortBooks() []ledger.Total {
	return []ledger.Total{
		{Key: ledger.Key{Sender: gatewayA}, Winners: 3, Won: wei(900), Redeemed: wei(520), Mined: wei(300)},
		{Key: ledger.Key{Sender: gatewayB}, Winners: 5, Won: wei(50), Waiting: wei(10), Handed: wei(20), Expired: wei(10),
			Failed: wei(10)},
	}
}

// Every wei of face value that won is in one column of the report: what the senders' funds
// did not cover has one of its own.
func TestWhatWonIsAccountedFor(t *testing.T) {
	t.Parallel()
	in := earnings.MakeIncome(earnings.Gateway, shortBooks(), nil).Answer()
	for _, row := range append(in.Rows, in.Total) {
		written, err := json.Marshal(row)
		if err != nil {
			t.Fatal(err)
		}
		var r map[string]any
		d := json.NewDecoder(strings.NewReader(string(written)))
		d.UseNumber()
		if err := d.Decode(&r); err != nil {
			t.Fatal(err)
		}
		sum := new(big.Int)
		for _, column := range []string{"redeemed", "short", "mined", "waiting", "handed", "expired", "failed"} {
			text, _ := r[column].(string)
			n, ok := new(big.Int).SetString(text, 10)
			if !ok {
				t.Fatalf("%s is %v in %s", column, r[column], written)
			}
			sum.Add(sum, n)
		}
		if sum.String() != r["wonValue"] {
			t.Errorf("%s of %v is accounted for: %s", sum, r["wonValue"], written)
		}
	}
	if got := text(t, earnings.MakeIncome(0, shortBooks(), nil)); !strings.Contains(got, ",redeemed_wei,short_wei,") ||
		!strings.Contains(got, ",950,520,80,10,300,20,10,10,") {
		t.Error(got)
	}
}
