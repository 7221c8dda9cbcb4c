package pricing

import (
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"
)

var moment = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func TestNewRate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		description, price string
		currency, wei      string
		err                error
	}{
		{"ETH / USD", "2000", "USD", "500000000000000", nil},
		{"eth/usd", "2000", "USD", "500000000000000", nil},
		{" USD / ETH ", "1/2000", "USD", "500000000000000", nil},
		{"ETH / USD", "1/3", "USD", "3000000000000000000", nil},
		{"BTC / USD", "1", "", "", errDescription},
		{"ETH / ETH", "1", "", "", errDescription},
		{"ETH", "1", "", "", errDescription},
		{"ETH / ", "1", "", "", errDescription},
		{"ETH / USD / EUR", "1", "", "", errDescription},
		{"ETH / US$", "1", "", "", errDescription},
		{"", "1", "", "", errDescription},
		{"ETH / USD", "0", "", "", errNoPrice},
		{"ETH / USD", "-1", "", "", errNoPrice},
	} {
		price, _ := new(big.Rat).SetString(c.price)
		r, err := newRate(c.description, price, moment, moment)
		if !errors.Is(err, c.err) || r.currency != c.currency || err == nil && r.wei.RatString() != c.wei {
			t.Errorf("%q at %s: %+v %v", c.description, c.price, r, err)
		}
	}
	if _, err := newRate("ETH / USD", nil, moment, moment); !errors.Is(err, errNoPrice) {
		t.Error(err)
	}
}

func TestRejectReason(t *testing.T) {
	t.Parallel()
	at := func(dollars int64, taken time.Time) *rate {
		r, err := newRate("ETH / USD", big.NewRat(dollars, 100), taken, taken)
		if err != nil {
			t.Fatal(err)
		}
		return &r
	}
	for _, c := range []struct {
		name         string
		before, now  int64
		age, elapsed time.Duration
		refused      bool
	}{
		{"the same", 2000, 2000, 0, time.Hour, false},
		{"half as much again", 2000, 3000, 0, time.Hour, false},
		{"a little more than that", 2000, 3001, 0, time.Hour, true},
		{"that in two hours", 2000, 3001, 0, time.Hour + 1, false},
		{"a third less", 3000, 2000, 0, time.Hour, false},
		{"a little less than that", 3000, 1999, 0, 0, true},
		{"tenfold", 2000, 20000, 0, 17 * time.Hour, true},
		{"tenfold for most of a day", 2000, 20000, 0, 18 * time.Hour, false},
		{"a year later", 1, 1_000_000, 0, 365 * 24 * time.Hour, true},
		{"a day old", 2000, 2000, 24 * time.Hour, time.Hour, false},
		{"older", 2000, 2000, 24*time.Hour + 1, time.Hour, true},
		{"the clocks differ", 2000, 2000, -time.Hour, time.Hour, false},
		{"our clock went back", 2000, 2000, 0, -time.Hour, false},
	} {
		next := at(c.now, moment.Add(c.elapsed))
		next.updated = next.taken.Add(-c.age)
		if why := next.rejectReason(at(c.before, moment)); (why != "") != c.refused {
			t.Errorf("%s: %q", c.name, why)
		}
	}
	first := at(2000, moment)
	if why := first.rejectReason(nil); why != "" {
		t.Errorf("the first one: %s", why)
	}
	first.currency = "EUR"
	if why := first.rejectReason(at(2000, moment)); !strings.Contains(why, "EUR") {
		t.Errorf("another currency: %q", why)
	}
}

// Either way round a price means the same.
func TestRateEitherWayRound(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		price := big.NewRat(rapid.Int64Range(1, 1e15).Draw(t, "n"), rapid.Int64Range(1, 1e9).Draw(t, "d"))
		a, err := newRate("ETH / USD", price, moment, moment)
		b, err2 := newRate("USD / ETH", new(big.Rat).Inv(price), moment, moment)
		if err != nil || err2 != nil || a.wei.Cmp(b.wei) != 0 {
			t.Fatalf("%v %v %v %v", a, b, err, err2)
		}
	})
}

func FuzzDescription(f *testing.F) {
	for _, s := range []string{"ETH / USD", "USD/ETH", "/", "ETH / ETH", "ſ / ETH", strings.Repeat("A", 40) + " / ETH"} {
		f.Add(s, int64(200_000), int64(100))
	}
	f.Fuzz(func(t *testing.T, description string, n, d int64) {
		price := big.NewRat(n, max(d, 1))
		r, err := newRate(description, price, moment, moment)
		if err != nil {
			return
		}
		if r.wei.Sign() <= 0 || r.currency == "ETH" || !currencyForm().MatchString(r.currency) ||
			!utf8.ValidString(r.currency) {
			t.Fatalf("%q became %+v", description, r)
		}
		if why := r.rejectReason(&r); why != "" {
			t.Fatalf("%q is refused next to itself: %s", description, why)
		}
	})
}
