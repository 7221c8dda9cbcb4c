package txmgr

import (
	"errors"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

func TestOffer(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name                   string
		min, max, base, tip    uint64
		wantCap, wantTip, fits uint64
	}{
		{"no bounds", 0, 0, 100, 0, 200, 0, 1},
		{"tip comes on top", 0, 0, 100, 7, 207, 7, 1},
		{"least price", 500, 0, 100, 7, 500, 7, 1},
		{"largest price", 0, 150, 100, 7, 150, 7, 1},
		{"largest wins over least", 500, 150, 100, 7, 150, 7, 1},
		{"tip is bounded too", 0, 5, 2, 9, 5, 5, 1},
		{"base fee at the bound", 0, 100, 100, 0, 100, 0, 1},
		{"base fee above the bound", 0, 99, 100, 0, 99, 0, 0},
		{"a chain without base fee", 0, 0, 0, 3, 3, 3, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := bounds{core.NewWei(tt.min), core.NewWei(tt.max)}
			got, fits := b.offer(core.NewWei(tt.base), core.NewWei(tt.tip))
			if got.feeCap.Cmp(core.NewWei(tt.wantCap)) != 0 || got.tip.Cmp(core.NewWei(tt.wantTip)) != 0 ||
				fits != (tt.fits == 1) {
				t.Error(got, fits)
			}
		})
	}
}

// Endpoints take a replacement that offers a tenth more of both, and more than
// before even where a tenth is nothing.
func TestBumpIsTaken(t *testing.T) {
	t.Parallel()
	wei := rapid.Custom(func(t *rapid.T) core.Wei { return core.NewWei(rapid.Uint64Range(0, 1e15).Draw(t, "wei")) })
	rapid.Check(t, func(t *rapid.T) {
		old, fresh := fees{wei.Draw(t, "cap"), wei.Draw(t, "tip")}, fees{wei.Draw(t, "fresh cap"), wei.Draw(t, "fresh tip")}
		b := bounds{max: wei.Draw(t, "max")}
		got, below := b.bump(old, fresh)
		for _, p := range []struct{ got, old core.Wei }{{got.feeCap, old.feeCap}, {got.tip, old.tip}} {
			tenth := new(big.Int).Mul(p.old.Big(), big.NewInt(110))
			if p.got.Cmp(p.old) <= 0 || new(big.Int).Mul(p.got.Big(), big.NewInt(100)).Cmp(tenth) < 0 {
				t.Fatalf("%s takes the place of %s", p.got, p.old)
			}
		}
		if got.feeCap.Cmp(got.tip) < 0 || got.feeCap.Cmp(fresh.feeCap) < 0 {
			t.Fatalf("%v from %v", got, fresh)
		}
		if !b.max.IsZero() && below != (got.feeCap.Cmp(b.max) <= 0) {
			t.Fatal("the bound is broken")
		}
	})
}

func TestOutcomes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		err  error
		want outcome
	}{
		{nil, accepted},
		{errors.New("already known"), accepted},
		{errors.New("ALREADY KNOWN (JSON-RPC error -32000)"), accepted},
		{errors.New("known transaction: 0x1234"), accepted},
		{errors.New("unknown transaction type"), unknown},
		{fault.New(fault.TxRefused, "send", "unknown transaction type"), declined},
		{errors.New("nonce too low: next nonce 5, tx nonce 4"), nonceUsed},
		{errors.New("nonce too high"), nonceAhead},
		{errors.New("replacement transaction underpriced"), outbid},
		{errors.New("transaction underpriced: tip needed 1, tip permitted 0"), underpriced},
		{errors.New("max fee per gas less than block base fee: address 0x1, maxFeePerGas: 1, baseFee: 2"), underpriced},
		{errors.New("insufficient funds for gas * price + value: balance 0"), underfunded},
		{errors.New("intrinsic gas too low: gas 1, minimum needed 21000"), impossible},
		{errors.New("exceeds block gas limit"), impossible},
		{errors.New("tx fee (1.50 ether) exceeds the configured cap (1.00 ether)"), impossible},
		{errors.New("connection reset by peer"), unknown},
		{errors.New("context deadline exceeded"), unknown},
		{fault.New(fault.TxNonceUsed, "send", "old nonce"), nonceUsed},
		{fault.New(fault.TxFundsMissing, "send", "exceeds balance"), underfunded},
		{fault.New(fault.TxFeeTooLow, "send", "fee cap"), underpriced},
		{fault.New(fault.TxFeeTooLow, "send", "replacement transaction underpriced"), outbid},
		{fault.New(fault.TxGasTooLow, "send", "gas too low"), impossible},
		{fault.New(fault.TxRefused, "send", "no"), declined},
		{fault.New(fault.TxRefused, "send", "nonce too high"), nonceAhead},
		{fault.New(fault.TxOutcomeUnknown, "send", ""), unknown},
		{fault.New(fault.ChainUnavailable, "send", ""), unknown},
	}
	for _, tt := range tests {
		if got := outcomeOf(tt.err); got != tt.want {
			t.Errorf("%v: %d, want %d", tt.err, got, tt.want)
		}
	}
}
