package pm_test

import (
	"errors"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

func TestFaceValueVectors(t *testing.T) {
	t.Parallel()
	var file struct {
		Cases []struct {
			Name         string
			Error        string
			FaceValue    string       `json:"face_value"`
			GasPrice     string       `json:"gas_price"`
			MaxFaceValue string       `json:"max_face_value_cfg"`
			MaxFloat     string       `json:"max_float"`
			RedeemGas    protocol.Gas `json:"redeem_gas"`
			TicketEV     string       `json:"ticket_ev"`
			WinProb      hexBytes     `json:"win_prob_hex"`
			EV           string       `json:"ev_decimal_30"`
			Refused      bool         `json:"gateway_would_reject_ev_ge_face_value"`
			Adjusted     string       `json:"price_1200_wei_adjusted"`
		}
		Floor struct {
			FaceValue string   `json:"face_value"`
			WinProb   hexBytes `json:"floored_win_prob_hex"`
			TicketEV  string   `json:"ticket_ev"`
		} `json:"counterexample_floor_win_prob"`
		Certain string `json:"max_win_prob"`
	}
	readVectors(t, "face_value_win_prob.json", &file)
	if len(file.Cases) != 9 {
		t.Fatalf("%d cases", len(file.Cases))
	}
	for _, c := range file.Cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			cost, err := core.WeiOf(new(big.Int).Mul(new(big.Int).SetUint64(uint64(c.RedeemGas)), wei(t, c.GasPrice).Big()))
			if err != nil {
				t.Fatal(err)
			}
			ev := wei(t, c.TicketEV)
			got, err := pm.FaceValue(pm.Offered{TicketEV: ev, MaxFaceValue: wei(t, c.MaxFaceValue),
				MaxFloat: wei(t, c.MaxFloat), TxCost: cost, RedeemGas: c.RedeemGas})
			if c.Error != "" {
				if !errors.Is(err, pm.ErrSenderReserve) || !errors.Is(err, fault.InsufficientSenderReserve) ||
					fault.Wire(err) != c.Error {
					t.Fatalf("%s, %v, want %s", got, err, c.Error)
				}
				return
			}
			if err != nil || got.String() != c.FaceValue {
				t.Fatalf("%s, %v, want %s", got, err, c.FaceValue)
			}
			p := pm.Params{FaceValue: got, WinProb: pm.WinProb(got, ev)}
			if p.WinProb != word(c.WinProb) {
				t.Errorf("win probability %x, want %x", p.WinProb, c.WinProb)
			}
			if got := p.EV().Rat().FloatString(30); got != c.EV {
				t.Errorf("expected value %s, want %s", got, c.EV)
			}
			if refused := p.EV().Cmp(pm.WeiValue(got)) >= 0; refused != c.Refused {
				t.Errorf("a gateway refuses: %t, want %t", refused, c.Refused)
			}
			if price := pm.Quantize(pm.Overhead(big.NewRat(1200, 1), got, cost)); price.String() != c.Adjusted {
				t.Errorf("price with overhead %s, want %s", price, c.Adjusted)
			}
		})
	}
	if c := file.Floor; (&pm.Params{FaceValue: wei(t, c.FaceValue),
		WinProb: word(c.WinProb)}).EV().Cmp(pm.WeiValue(wei(t, c.TicketEV))) >= 0 {
		t.Error("the rounded-down probability is not the counterexample")
	}
	if got := pm.WinProb(core.NewWei(5), core.NewWei(5)).Big().String(); got != file.Certain {
		t.Errorf("certainty is %s", got)
	}
}

func TestWinProbEdges(t *testing.T) {
	t.Parallel()
	most := wei(t, "115792089237316195423570985008687907853269984665640564039457584007913129639935")
	for name, c := range map[string]struct {
		faceValue, ev core.Wei
		certain, none bool
	}{
		"nothing to win":     {core.Wei{}, core.NewWei(5), false, true},
		"nothing expected":   {core.NewWei(5), core.Wei{}, false, true},
		"less than expected": {core.NewWei(4), core.NewWei(5), true, false},
		"all there is":       {most, most, true, false},
		"all but one": {most,
			wei(t, "115792089237316195423570985008687907853269984665640564039457584007913129639934"), false, false},
		"rounding past the most": {wei(t, "57896044618658097711785492504343953926634992332820282019728792003956564819969"),
			wei(t, "57896044618658097711785492504343953926634992332820282019728792003956564819968"), true, false},
	} {
		p := pm.WinProb(c.faceValue, c.ev)
		if p.IsZero() != c.none {
			t.Errorf("%s: %x", name, p)
		}
		if certain := p.Big().BitLen() == 256 && pm.WinProb(core.NewWei(1), core.NewWei(1)) == p; certain != c.certain {
			t.Errorf("%s: certain %t", name, certain)
		}
	}
}

// amounts are wei of every length.
func amounts(t *rapid.T, label string, least uint64) core.Wei {
	n := new(big.Int).SetBytes(rapid.SliceOfN(rapid.Byte(), 0, 32).Draw(t, label))
	if low := new(big.Int).SetUint64(least); n.Cmp(low) < 0 {
		n = low
	}
	w, err := core.WeiOf(n)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestTicketIsWorthWhatWasAsked: whatever a face value is chosen, a ticket of it is
// worth at least what was asked, and less than a face value's quantum more.
func TestTicketIsWorthWhatWasAsked(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := pm.Offered{
			TicketEV: amounts(t, "ev", 1), MaxFaceValue: amounts(t, "bound", 0), MaxFloat: amounts(t, "float", 0),
			TxCost: amounts(t, "cost", 0), RedeemGas: protocol.Gas(rapid.Uint64().Draw(t, "gas")),
		}
		v, err := pm.FaceValue(in)
		if err != nil {
			if !errors.Is(err, fault.InsufficientSenderReserve) {
				t.Fatal(err)
			}
			return
		}
		if v.Cmp(in.MaxFloat) > 0 || !in.MaxFaceValue.IsZero() && v.Cmp(in.MaxFaceValue) > 0 || v.Cmp(in.TicketEV) < 0 {
			t.Fatalf("face value %s of %+v", v, in)
		}
		p := pm.Params{FaceValue: v, WinProb: pm.WinProb(v, in.TicketEV)}
		more := p.EV().Sub(pm.WeiValue(in.TicketEV))
		if more.Sign() < 0 {
			t.Fatalf("worth %s, asked %s", p.EV(), in.TicketEV)
		}
		// Rounding up adds at most ticketEV to the probability.
		bound := new(big.Rat).SetFrac(new(big.Int).Mul(v.Big(), in.TicketEV.Big()), pm.WinProb(v, v).Big())
		if more.Rat().Cmp(bound) > 0 {
			t.Fatalf("worth %s more than asked", more)
		}
	})
}

func TestMaxFloat(t *testing.T) {
	t.Parallel()
	funds := func(deposit, remaining, claimedAll, claimed uint64) protocol.SenderFunds {
		f := protocol.SenderFunds{Claimed: core.NewWei(claimed)}
		f.Deposit = core.NewWei(deposit)
		f.Reserve = protocol.Reserve{FundsRemaining: core.NewWei(remaining), ClaimedInCurrentRound: core.NewWei(claimedAll)}
		return f
	}
	for name, c := range map[string]struct {
		funds   protocol.SenderFunds
		pool    int
		pending uint64
		want    string
	}{
		"nobody in the pool":       {funds(100, 100, 0, 0), 0, 0, "0"},
		"share is rounded down":    {funds(0, 100, 9, 0), 10, 0, "10"},
		"less what was drawn":      {funds(0, 90, 10, 4), 10, 0, "6"},
		"never negative":           {funds(0, 90, 10, 40), 10, 0, "0"},
		"pending, deposit covers":  {funds(9, 100, 0, 0), 10, 3, "10"},
		"pending, deposit is less": {funds(8, 100, 0, 0), 10, 3, "7"},
		"pending is all":           {funds(0, 100, 0, 0), 10, 11, "0"},
	} {
		if got := pm.MaxFloat(c.funds, c.pool, core.NewWei(c.pending)); got.String() != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
