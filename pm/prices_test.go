package pm_test

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
)

func TestBalanceAndPriceVectors(t *testing.T) {
	t.Parallel()
	var file struct {
		Rounding []struct {
			Price string
			Info  string `json:"as_price_info"`
			Fixed int64  `json:"fixed_point_x1000"`
			Whole string `json:"price_to_int64"`
		} `json:"price_rounding"`
		Batches []struct {
			Existing   string `json:"existing_credit"`
			MinCredit  string `json:"min_credit"`
			NewCredit  string `json:"new_credit"`
			NumTickets int    `json:"num_tickets"`
			EV         string `json:"ticket_ev"`
		} `json:"ticket_batch_sizes"`
	}
	readVectors(t, "balances_and_prices.json", &file)
	if len(file.Rounding) != 6 || len(file.Batches) != 5 {
		t.Fatalf("%d prices, %d batches", len(file.Rounding), len(file.Batches))
	}
	for _, c := range file.Rounding {
		r := rat(t, c.Price)
		got := pm.Quantize(r)
		if got.String() != c.Info || got.Rat().Cmp(big.NewRat(c.Fixed, 1000)) != 0 || 1000%got.PixelsPerUnit != 0 {
			t.Errorf("%s: %+v, want %s", c.Price, got, c.Info)
		}
		if got := pm.FloorPrice(r); got.String() != c.Whole {
			t.Errorf("%s: %s rounded down, want %s", c.Price, got, c.Whole)
		}
		if got := pm.RawPrice(r); got.Rat().Cmp(r) != 0 {
			t.Errorf("%s: raw %s", c.Price, got)
		}
	}
	for _, c := range file.Batches {
		ev := pm.ValueOf(rat(t, c.EV))
		n := pm.TicketsFor(pm.ValueOf(rat(t, c.MinCredit)), pm.ValueOf(rat(t, c.Existing)), ev)
		if n != c.NumTickets || ev.Times(int64(n)).String() != c.NewCredit {
			t.Errorf("%+v: %d tickets", c, n)
		}
	}
}

func TestPriceBounds(t *testing.T) {
	t.Parallel()
	huge := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 70))
	tiny := new(big.Rat).Inv(huge)
	for name, c := range map[string]struct{ got, want pm.Price }{
		"huge":          {pm.Quantize(huge), pm.Price{PerUnit: math.MaxInt64, PixelsPerUnit: 1000}},
		"tiny":          {pm.Quantize(tiny), pm.Price{PixelsPerUnit: 1}},
		"negative":      {pm.Quantize(big.NewRat(-5, 1)), pm.Price{PixelsPerUnit: 1}},
		"raw, huge":     {pm.RawPrice(huge), pm.Price{PerUnit: math.MaxInt64, PixelsPerUnit: 1}},
		"raw, tiny":     {pm.RawPrice(tiny), pm.Price{PixelsPerUnit: 1}},
		"raw, negative": {pm.RawPrice(big.NewRat(-5, 3)), pm.Price{PixelsPerUnit: 1}},
		"raw is exact":  {pm.RawPrice(big.NewRat(14, 6)), pm.Price{PerUnit: 7, PixelsPerUnit: 3}},
		"floor, huge":   {pm.FloorPrice(huge), pm.Price{PerUnit: math.MaxInt64, PixelsPerUnit: 1}},
		"no gas price": {pm.Quantize(pm.Overhead(big.NewRat(3, 2), core.NewWei(5), core.Wei{})),
			pm.Price{PerUnit: 3, PixelsPerUnit: 2}},
		"no face value": {pm.Quantize(pm.Overhead(big.NewRat(3, 2), core.Wei{}, core.NewWei(5))),
			pm.Price{PerUnit: 3, PixelsPerUnit: 2}},
		"free stays free": {pm.Quantize(pm.Overhead(new(big.Rat), core.NewWei(5), core.NewWei(5))),
			pm.Price{PixelsPerUnit: 1}},
		"cost is all": {pm.Quantize(pm.Overhead(big.NewRat(3, 2), core.NewWei(5), core.NewWei(5))),
			pm.Price{PerUnit: 3, PixelsPerUnit: 1}},
		"a third more": {pm.Quantize(pm.Overhead(big.NewRat(1, 1), core.NewWei(3), core.NewWei(1))),
			pm.Price{PerUnit: 1333, PixelsPerUnit: 1000}},
		"the cost doubles": {pm.Quantize(pm.Overhead(big.NewRat(1, 1), core.NewWei(1), core.NewWei(2))),
			pm.Price{PerUnit: 3, PixelsPerUnit: 1}},
	} {
		if c.got != c.want {
			t.Errorf("%s: %+v, want %+v", name, c.got, c.want)
		}
	}
}

// TestQuantizeLosesLess than a thousandth of a wei, and never adds.
func TestQuantizeLosesLess(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := big.NewRat(rapid.Int64Range(0, 1<<40).Draw(t, "num"), rapid.Int64Range(1, 1<<40).Draw(t, "den"))
		p := pm.Quantize(r)
		lost := new(big.Rat).Sub(r, p.Rat())
		if lost.Sign() < 0 || lost.Cmp(big.NewRat(1, 1000)) >= 0 || 1000%p.PixelsPerUnit != 0 {
			t.Fatalf("%s became %s", r, p)
		}
		if again := pm.RawPrice(p.Rat()); again != p {
			t.Fatalf("%+v is not in lowest terms", p)
		}
	})
}

// TestTicketsReachTheCredit: with the tickets the credit is reached, with one less
// it is not.
func TestTicketsReachTheCredit(t *testing.T) {
	t.Parallel()
	value := func(t *rapid.T, name string, least int64) pm.Value {
		return pm.ValueOf(big.NewRat(rapid.Int64Range(least, 1<<40).Draw(t, name),
			rapid.Int64Range(1, 1<<20).Draw(t, name+" per")))
	}
	rapid.Check(t, func(t *rapid.T) {
		want, have, ev := value(t, "want", 0), value(t, "have", -1<<40), value(t, "ev", 1)
		n := int64(pm.TicketsFor(want, have, ev))
		if n == math.MaxInt32 {
			return
		}
		if have.Add(ev.Times(n)).Cmp(want) < 0 || n > 0 && have.Add(ev.Times(n-1)).Cmp(want) >= 0 {
			t.Fatalf("%d tickets", n)
		}
	})
	for name, n := range map[string]int{
		"no value":       pm.TicketsFor(pm.WeiValue(core.NewWei(5)), pm.Value{}, pm.Value{}),
		"negative value": pm.TicketsFor(pm.WeiValue(core.NewWei(5)), pm.Value{}, pm.WeiValue(core.NewWei(5)).Neg()),
		"nothing asked":  pm.TicketsFor(pm.Value{}, pm.Value{}, pm.WeiValue(core.NewWei(5))),
	} {
		if n != 0 {
			t.Errorf("%s: %d tickets", name, n)
		}
	}
	if n := pm.TicketsFor(pm.WeiValue(wei(t, "1e60")), pm.Value{}, pm.WeiValue(core.NewWei(1))); n != math.MaxInt32 {
		t.Errorf("beyond all bounds: %d tickets", n)
	}
}

func TestCheckPrice(t *testing.T) {
	t.Parallel()
	first := pm.Price{PerUnit: 3, PixelsPerUnit: 2}
	for _, now := range []pm.Price{{}, first, {PerUnit: 3, PixelsPerUnit: 1}} {
		if err := pm.CheckPrice(first, now); err != nil {
			t.Errorf("%s: %v", now, err)
		}
	}
	if err := pm.CheckPrice(first, pm.Price{PerUnit: 3001, PixelsPerUnit: 1000}); fault.CodeOf(err) != fault.PriceRaised {
		t.Errorf("more than twice: %v", err)
	}
	if err := pm.CheckPrice(pm.Price{}, first); fault.CodeOf(err) != fault.PriceRaised {
		t.Errorf("no longer free: %v", err)
	}
}
