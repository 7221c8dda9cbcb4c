package core_test

import (
	"errors"
	"math/big"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core"
	"pgregory.net/rapid"
)

func TestParsePrice(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in, want string
		err      error
	}{
		{"0.5", "", core.ErrPriceWhole}, {"0.5wei", "", core.ErrPriceWhole}, {"1e-1", "", core.ErrPriceWhole},
		{"", "", core.ErrPriceForm}, {"USD", "", core.ErrPriceForm}, {"-1USD", "", core.ErrPriceForm},
		{"1 USD", "", core.ErrPriceForm},
		{"1e999USD", "", core.ErrPriceForm}, {"1" + strings.Repeat("0", 80), "", core.ErrPriceForm},
		{"0x1", "", core.ErrPriceForm},
		{"1" + strings.Repeat("0", 79), "", core.ErrPriceLarge},
		{"1200", "1200", nil}, {"1200wei", "1200", nil}, {"1200WEI", "1200", nil}, {"1e3", "1000", nil}, {"0", "0", nil},
		{"0.50USD", "0.5USD", nil}, {"0.5e-2USD", "0.005USD", nil}, {"1EUR", "1EUR", nil}, {"0.18eth", "0.18eth", nil},
	} {
		p, err := core.ParsePrice(c.in)
		if !errors.Is(err, c.err) || p.String() != c.want || p.IsSet() != (err == nil) {
			t.Errorf("price %q: %q, %v", c.in, p, err)
		}
	}
	if (core.Price{}).IsSet() || (core.Price{}).String() != "" || (core.Price{}).Amount().Sign() != 0 {
		t.Error("an unset price has a value")
	}
}

func TestPriceInWei(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		price string
		per   core.Pixels
		// want is wei per unit, "" for a currency without known rate.
		want, text string
	}{
		{"7", 2, "7/2", "7 wei per 2"},
		{"0", 1, "0", "0 wei per 1"},
		{"0.5ETH", 1_000_000, "500000000000", "0.5ETH per 1000000"},
		{"1e-18eth", 3, "1/3", "0.000000000000000001eth per 3"},
		{"0.18USD", 1_000_000, "", "0.18USD per 1000000"},
	} {
		p, err := core.ParsePrice(c.price)
		if err != nil {
			t.Fatal(err)
		}
		u := core.UnitPrice{Price: p, PixelsPerUnit: c.per}
		wei, ok := u.WeiPerPixel()
		if ok != (c.want != "") || ok && wei.RatString() != c.want || u.String() != c.text {
			t.Errorf("%s: %v %v %q", c.price, wei, ok, u)
		}
	}
	var unset core.UnitPrice
	if unset.IsSet() || unset.String() != "" || unset.PerPixel().Sign() != 0 {
		t.Error("an unset price has a value")
	}
}

// No decimal is rounded, and what comes out belongs to the caller.
func TestPricesAreExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`(0|[1-9][0-9]{0,20})(\.[0-9]{1,12})?(e-?[0-9])?`).Draw(t, "amount")
		per := rapid.Int64Range(1, 1e15).Draw(t, "per")
		p, err := core.ParsePrice(text + "USD")
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		want, _ := new(big.Rat).SetString(text)
		u := core.UnitPrice{Price: p, PixelsPerUnit: core.Pixels(per)}
		back := u.PerPixel()
		back.Mul(back, new(big.Rat).SetInt64(per))
		if back.Cmp(want) != 0 {
			t.Fatalf("%s per %d became %v", text, per, back)
		}
		again, err := core.ParsePrice(p.String())
		if err != nil || again.Amount().Cmp(want) != 0 || again.String() != p.String() {
			t.Fatalf("%s is printed as %s and read as %s, %v", text, p, again, err)
		}
		p.Amount().SetInt64(-1)
		if p.Amount().Cmp(want) != 0 {
			t.Fatal("the caller changed the price")
		}
	})
}
