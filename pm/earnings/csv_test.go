package earnings_test

import (
	"bytes"
	"encoding/csv"
	"io"
	"math/big"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/earnings"
	"github.com/tuttinode/tutti/pm/ledger"
	"github.com/tuttinode/tutti/pm/paymentlog"
)

func text(t interface {
	Helper()
	Fatal(...any)
}, r interface{ WriteCSV(io.Writer) error }) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestIncomeCSV(t *testing.T) {
	t.Parallel()
	got := text(t, earnings.MakeIncome(earnings.Model|earnings.Worker, books()[:4], nil))
	want := "pipeline,model,worker,tickets,received_wei,jobs,units,produced,billed_wei,won,won_wei,redeemed_wei," +
		`short_wei,waiting_wei,mined_wei,handed_wei,expired_wei,failed_wei,gas_wei,kept_wei,given_wei,reward,share
llm,'=m,,1,5,0,0,0,0,1,9,0,0,0,0,0,9,0,0,0,0,0,0
llm,'=m,'-gpu,0,0,1,100,40,10,0,0,0,0,0,0,0,0,0,0,0,0,0,0.25
transcoding,,,30,33.333333333333333333,0,0,0,0,2,600,300,0,300,0,0,0,0,20,0,0,0,0
transcoding,,gpu-0,0,0,3,3000,0,30,0,0,0,0,0,0,0,0,0,0,0,0,0,0.75
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestOtherCSV(t *testing.T) {
	t.Parallel()
	if got := text(t, earnings.MakeWorkers(books())); !strings.Contains(got,
		"\n'-gpu,llm,'=m,1,100,40,10,0.16666666666666666,6.388888888888888889,46.666666666666666667\n") {
		t.Error(got)
	}
	s := earnings.MakeSpending([]paymentlog.Total{
		{Group: paymentlog.Group{Day: "2026-03-01", Recipient: gatewayA, Pipeline: "llm", Model: "@m"}, Payments: 2,
			Tickets: 7, Value: wei(70), Open: wei(10), Units: 5, Billed: wei(50), Cost: wei(60), Charged: core.NewWei(30)},
		{Group: paymentlog.Group{Day: "2026-03-02", Recipient: gatewayA, Pipeline: "transcoding"}, Payments: 1, Tickets: 1,
			Value: wei(1), Billed: wei(2), Cost: wei(2)},
	}, wei(5), []paymentlog.WriteOff{{Day: "2026-03-01", Reason: paymentlog.Short, Value: wei(3)}})
	if got := text(t, s); !strings.Contains(got,
		"2026-03-01,0x0a00000000000000000000000000000000000001,llm,'@m,2,7,70,10,5,50,60,30\n") {
		t.Error(got)
	}
	if a := s.Answer(); a.Value != "71" || a.Open != "10" || a.Rows[0].Open != "10" || a.Billed != "52" ||
		len(a.Rows) != 2 || a.Rows[0].Model != "@m" || a.Cost != "62" || a.Charged.Cmp(core.NewWei(30)) != 0 ||
		a.Balance != "5" || a.WrittenOff != "3" || a.WriteOffs[0].Reason != "short" || a.Unsettled != "1" {
		t.Errorf("%+v", a)
	}
	w := pm.Winner{Hash: protocol.Hash{1}, Account: pm.Account{Key: "=cmd"}, Won: time.Unix(0, 0),
		Since: time.Unix(60, 0), State: pm.TicketFailed, Tx: protocol.TxHash{2},
		Paid: core.NewWei(5), GasFee: core.NewWei(1), Attempts: 3, Reason: "-x, \"y\""}
	got := text(t, earnings.Tickets{w})
	if strings.Contains(got, ",=cmd") || !strings.Contains(got,
		`1970-01-01T00:00:00Z,failed,1970-01-01T00:01:00Z,0x02`) || !strings.Contains(got, `,5,1,3,"'-x, ""y"""`) {
		t.Error(got)
	}
}

func TestDecimal(t *testing.T) {
	t.Parallel()
	odd, _ := new(big.Rat).SetString("-1/8")
	tests := []struct {
		v    pm.Value
		want string
	}{
		{pm.Value{}, "0"}, {wei(5), "5"}, {wei(-5), "-5"}, {wei(1_000_000), "1000000"}, {pm.ValueOf(odd), "-0.125"},
		{thirds(1), "0.333333333333333333"}, {thirds(-1), "-0.333333333333333333"},
		{pm.ValueOf(new(big.Rat).SetFrac(big.NewInt(-1), new(big.Int).Exp(big.NewInt(3), big.NewInt(99), nil))), "0"},
		{pm.ValueOf(new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(30), nil))),
			"0.000000000000000000000000000001"},
	}
	for _, tt := range tests {
		if got := earnings.Decimal(tt.v); got != tt.want {
			t.Errorf("%s is %s, want %s", tt.v, got, tt.want)
		}
	}
}

// Whatever names others chose, a spreadsheet sees text, every row has the header's
// number of cells, and amounts can be read back.
func TestCSVIsSafe(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringN(0, 12, -1)
		total := ledger.Total{Key: ledger.Key{Pipeline: name.Draw(t, "pipeline"), Model: name.Draw(t, "model"),
			Worker: name.Draw(t, "worker")},
			Billed: pm.ValueOf(big.NewRat(rapid.Int64().Draw(t, "n"), rapid.Int64Range(1, 1000).Draw(t, "d")))}
		rows, err := csv.NewReader(strings.NewReader(text(t, earnings.MakeIncome(earnings.Model|earnings.Worker,
			[]ledger.Total{total}, nil)))).ReadAll()
		if err != nil || len(rows) != 2 {
			t.Fatal(rows, err)
		}
		for _, c := range rows[1][:3] {
			if c != "" && strings.ContainsRune("=+-@\t\r\n", rune(c[0])) {
				t.Fatalf("%q is a formula", c)
			}
		}
		r, ok := new(big.Rat).SetString(rows[1][8])
		if !ok || r.Sub(r, total.Billed.Rat()).Abs(r).Cmp(big.NewRat(1, 1e18)) > 0 {
			t.Fatalf("%s is not %s", rows[1][8], total.Billed)
		}
	})
}
