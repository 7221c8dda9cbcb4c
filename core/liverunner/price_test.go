package liverunner_test

import (
	"errors"
	"math/big"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/liverunner"
	"github.com/tuttinode/tutti/core/orchestrate"
)

// usd is a rate of 3000 dollars for an ETH, as in the recordings.
func usd(u core.UnitPrice) (*big.Rat, bool) {
	return new(big.Rat).Mul(u.PerPixel(), new(big.Rat).SetFrac64(1e18, 3000)), true
}

func priced(t *testing.T, info string) (liverunner.Price, error) {
	t.Helper()
	h, err := liverunner.ParseHeartbeat([]byte(`{"runner_url":"http://r","app":"x"`+info+`}`), liverunner.Paid)
	return h.Spec.Price, err
}

// The wei of the recordings, whose prices are 1.5 dollars an hour and a tenth of a cent.
func TestPricesInWei(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		info string
		wei  int64
		unit orchestrate.LiveUnit
	}{
		{`{"price":1.5}`, 138888888888, orchestrate.LiveSeconds},
		{`{"price":"1.5","currency":"USD","unit":"HOUR"}`, 138888888888, orchestrate.LiveSeconds},
		{`{"price":1.5,"unit":"720p"}`, 5023, orchestrate.LivePixels},
		{`{"price":1e-3,"unit":"fixed"}`, 333333333333, orchestrate.LiveFixed},
	} {
		p, err := priced(t, `,"price_info":`+c.info)
		if err != nil {
			t.Errorf("%s: %v", c.info, err)
			continue
		}
		if wei, err := p.Wei(usd); err != nil || wei.PerUnit != c.wei || wei.PixelsPerUnit != 1 || p.Unit != c.unit {
			t.Errorf("%s: %v %s %v, want %d %s", c.info, wei, p.Unit, err, c.wei, c.unit)
		}
	}
}

func TestPricesThatAreNone(t *testing.T) {
	t.Parallel()
	for info, want := range map[string]string{
		"":                                            "price_info.price is required",
		`,"price_info":{}`:                            "price_info.price is required",
		`,"price_info":{"price":0}`:                   "price_info.price is required",
		`,"price_info":{"price":null}`:                "price_info.price is required",
		`,"price_info":{"price":-1}`:                  "price_info.price must be a number above 0",
		`,"price_info":{"price":"1 000"}`:             "price_info.price must be a number above 0",
		`,"price_info":{"price":"NaN"}`:               "price_info.price must be a number above 0",
		`,"price_info":{"price":[1]}`:                 "price_info.price must be a number above 0",
		`,"price_info":{"price":1,"unit":5}`:          "price_info.price must be a number above 0",
		`,"price_info":{"price":1,"unit":""}`:         "",
		`,"price_info":{"price":1,"unit":"day"}`:      `price_info.unit must be "hour", "720p" or "fixed"`,
		`,"price_info":{"price":1,"currency":"eur"}`:  `price_info.currency must be "usd"`,
		`,"price_info":{"price":1,"currency":"usd"} `: "",
	} {
		_, err := priced(t, info)
		if got := errText(err); got != want {
			t.Errorf("%s: %q, want %q", info, got, want)
		}
	}
	p, err := priced(t, `,"price_info":{"price":1e-14}`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Wei(usd); !errors.Is(err, liverunner.ErrBelowWei) {
		t.Error(err)
	}
	none := func(core.UnitPrice) (*big.Rat, bool) { return nil, false }
	if _, err := p.Wei(none); !errors.Is(err, liverunner.ErrNoRate) {
		t.Error(err)
	}
	if p, err = priced(t, `,"price_info":{"price":1e30,"unit":"fixed"}`); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Wei(usd); !errors.Is(err, liverunner.ErrOutOfRange) {
		t.Error(err)
	}
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
