package earnings_test

import (
	"math/big"
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	gatewayA = core.Address{0xa, 19: 1}
	gatewayB = core.Address{0xb, 19: 2}
)

func wei(n int64) pm.Value { return pm.ValueOf(big.NewRat(n, 1)) }

func thirds(n int64) pm.Value { return pm.ValueOf(big.NewRat(n, 3)) }

// books are two days of two gateways, as a ledger tells them: tickets are no
// worker's.
func books() []ledger.Total {
	return []ledger.Total{
		{Key: ledger.Key{Day: 20000, Round: 7, Sender: gatewayA, Pipeline: "transcoding"}, Tickets: 30,
			Received: thirds(100), Winners: 2, Won: wei(600),
			Redeemed: wei(300), Waiting: wei(300), Gas: wei(20)},
		{Key: ledger.Key{Day: 20000, Round: 7, Sender: gatewayA, Pipeline: "transcoding", Worker: "gpu-0"}, Jobs: 3,
			Units: big.NewInt(3000), Produced: big.NewInt(0), Billed: wei(30)},
		{Key: ledger.Key{Day: 20000, Round: 8, Sender: gatewayB, Pipeline: "llm", Model: "=m"}, Tickets: 1, Received: wei(5),
			Winners: 1, Won: wei(9), Expired: wei(9)},
		{Key: ledger.Key{Day: 20001, Round: 8, Sender: gatewayB, Pipeline: "llm", Model: "=m", Worker: "-gpu"}, Jobs: 1,
			Units: big.NewInt(100), Produced: big.NewInt(40), Billed: wei(10)},
		{Key: ledger.Key{Day: 20001, Round: 9, Sender: gatewayB, Pipeline: "transcoding", Worker: "gpu-0"}, Jobs: 2,
			Units: big.NewInt(10), Billed: wei(20)},
	}
}

// drawTotals draws what a ledger could hold.
func drawTotals(t *rapid.T) []ledger.Total {
	value := rapid.Custom(func(t *rapid.T) pm.Value {
		return pm.ValueOf(big.NewRat(rapid.Int64Range(0, 1e15).Draw(t, "n"), rapid.Int64Range(1, 7).Draw(t, "d")))
	})
	whole := rapid.Custom(func(t *rapid.T) pm.Value { return wei(rapid.Int64Range(0, 1e15).Draw(t, "wei")) })
	one := rapid.Custom(func(t *rapid.T) ledger.Total {
		return ledger.Total{
			Key: ledger.Key{Day: ledger.Day(rapid.IntRange(0, 2).Draw(t, "day")),
				Round:    protocol.Round(rapid.IntRange(0, 2).Draw(t, "round")),
				Sender:   core.Address{byte(rapid.IntRange(0, 2).Draw(t, "sender"))},
				Pipeline: rapid.SampledFrom([]string{"", "llm"}).Draw(t, "pipeline"),
				Model:    rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "model"),
				Worker:   rapid.SampledFrom([]string{"", "w", "x"}).Draw(t, "worker")},
			Tickets: rapid.Int64Range(0, 9).Draw(t, "tickets"), Jobs: rapid.Int64Range(0, 9).Draw(t, "jobs"),
			Winners:  rapid.Int64Range(0, 9).Draw(t, "winners"),
			Units:    big.NewInt(rapid.Int64().Draw(t, "units")),
			Produced: big.NewInt(rapid.Int64Range(0, 9).Draw(t, "produced")),
			Received: value.Draw(t, "received"), Billed: value.Draw(t, "billed"), Kept: value.Draw(t, "kept"),
			Given: value.Draw(t, "given"),
			Won:   whole.Draw(t, "won"), Redeemed: whole.Draw(t, "redeemed"), Waiting: whole.Draw(t, "waiting"),
			Mined: whole.Draw(t, "mined"), Handed: whole.Draw(t, "handed"),
			Expired: whole.Draw(t, "expired"), Failed: whole.Draw(t, "failed"), Gas: whole.Draw(t, "gas"),
		}
	})
	return rapid.SliceOfN(one, 0, 20).Draw(t, "totals")
}
