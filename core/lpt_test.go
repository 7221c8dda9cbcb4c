package core_test

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core"
)

func TestParseTokens(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"1": "1000000000000000000", "0.5": "500000000000000000", "1000": "1000000000000000000000",
		"0.000000000000000001": "1", "0": "0", "007": "7000000000000000000",
	} {
		got, err := core.ParseTokens(in)
		if err != nil || got.String() != want {
			t.Errorf("%q: %s, %v", in, got, err)
		}
	}
	for _, in := range []string{"", ".5", "1.", "-1", "1e18", "1,5", "0.0000000000000000001", " 1", "1 LPT", "0x1", "١"} {
		if got, err := core.ParseTokens(in); err == nil {
			t.Errorf("%q is taken as %s", in, got)
		}
		if got, err := core.ParseEther(in); err == nil {
			t.Errorf("%q ETH is taken as %s", in, got)
		}
	}
}

func TestTokensAreReadAsWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := new(big.Int).SetBytes(rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "amount"))
		amount, err := core.LPTOf(n)
		if err != nil {
			t.Fatal(err)
		}
		back, err := core.ParseTokens(amount.Tokens())
		if err != nil || back.Cmp(amount) != 0 {
			t.Fatalf("%s is written %s and read %s, %v", amount, amount.Tokens(), back, err)
		}
		wei, err := core.WeiOf(n)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := core.ParseEther(wei.Ether()); err != nil || again.Cmp(wei) != 0 {
			t.Fatalf("%s ETH is read %s, %v", wei.Ether(), again, err)
		}
	})
}

func TestAmountsAddUp(t *testing.T) {
	t.Parallel()
	a, b := core.LPTTokens(3), core.LPTTokens(1)
	if got := a.Add(b).Tokens(); got != "4" {
		t.Error(got)
	}
	if got := a.Sub(b).Tokens(); got != "2" {
		t.Error(got)
	}
	if got := b.Sub(a); !got.IsZero() {
		t.Errorf("less than nothing: %s", got)
	}
	if got := core.NewWei(2).Sub(core.NewWei(3)); !got.IsZero() {
		t.Errorf("less than nothing: %s", got)
	}
	if _, err := core.LPTOf(big.NewInt(-1)); err == nil {
		t.Error("a negative amount is taken")
	}
	if _, err := core.LPTOf(new(big.Int).Lsh(big.NewInt(1), 256)); err == nil {
		t.Error("2^256 is taken")
	}
}

func TestParsePercent(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]core.PerMillion{
		"10": 100_000, "12.5": 125_000, "0": 0, "100": 1_000_000, "100.0": 1_000_000, "0.0001": 1, "5%": 50_000, "0.1": 1000,
	} {
		got, err := core.ParsePercent(in)
		if err != nil || got != want {
			t.Errorf("%q: %d, %v", in, got, err)
		}
	}
	for _, in := range []string{"", "%", "-1", "100.0001", "101", "1000", ".5", "5.", "0.00001", "ten", "1e1", "5 %"} {
		if got, err := core.ParsePercent(in); err == nil {
			t.Errorf("%q is taken as %d", in, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		p := core.PerMillion(rapid.Uint32Range(0, 1_000_000).Draw(t, "share"))
		if back, err := core.ParsePercent(p.String()); err != nil || back != p {
			t.Fatalf("%d is written %s and read %d, %v", p, p, back, err)
		}
		if p.Rest().Rest() != p {
			t.Fatalf("the rest of the rest of %d is %d", p, p.Rest().Rest())
		}
	})
}
