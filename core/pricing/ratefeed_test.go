package pricing_test

import (
	"context"
	"errors"
	"math/big"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/pricing"
)

// run runs rates in the background until the test ends.
func run(t *testing.T, r *pricing.Rates) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done, ready := make(chan error, 1), make(chan struct{})
	go func() { done <- r.Run(ctx, func() { close(ready) }) }()
	<-ready
	t.Cleanup(func() {
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("it ends with %v", err)
		}
	})
}

// after lets time pass, and everything that it brings happen.
func after(d time.Duration) {
	<-time.After(d) // the bubble's clock
	synctest.Wait()
}

// No rate is read until a price needs it, and then at every full hour.
func TestRatesAreAskedForWhenNeeded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		feed := newFeed()
		rates, board := newRates(feed)
		run(t, rates)
		b, err := pricing.New(pricing.Options{Default: unit(t, "5"), Rates: rates, Board: board, Log: quiet})
		if err != nil {
			t.Fatal(err)
		}
		after(10 * time.Hour)
		if feed.times() != 0 {
			t.Fatal("an unused feed is read")
		}
		after(15 * time.Minute)
		if err := b.SetPrice(t.Context(), alice, unit(t, "0.18usd/1000000")); err != nil ||
			shown(b.Transcoding(alice)) != "90000000" {
			t.Fatalf("%v %s", err, shown(b.Transcoding(alice)))
		}
		after(30 * time.Second) // the first rate is read again
		before := feed.times()
		feed.set(func(f *fakeFeed) { f.price = big.NewRat(2500, 1) })
		after(44*time.Minute - 30*time.Second)
		if got := shown(b.Transcoding(alice)); got != "90000000" || feed.times() != before {
			t.Errorf("before the hour: %s, asked %d times", got, feed.times()-before)
		}
		after(time.Minute)
		if got := shown(b.Transcoding(alice)) + " " + shown(b.Transcoding(bob)); got != "72000000 5" {
			t.Errorf("at the hour: %s", got)
		}
	})
}

// A price in a currency is unknown before the rate is known; a failing feed is
// asked again after 30 s, 60 s, 120 s, 240 s, and on.
func TestPricesWaitForTheirRate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		feed := newFeed()
		feed.err = errors.New("no endpoint")
		rates, board := newRates(feed)
		b, err := pricing.New(pricing.Options{Default: unit(t, "1USD/1e9"),
			Gateways: map[core.Address]core.UnitPrice{alice: unit(t, "3")},
			Models: []pricing.ModelPrice{
				{Model: llm, Price: unit(t, "1usd/1e6")},
			}, Rates: rates, Board: board, Log: quiet})
		if err != nil {
			t.Fatal(err)
		}
		run(t, rates)
		after(0)
		for i, pause := range []time.Duration{30, 60, 120, 240, 240, 240} {
			after(pause*time.Second - 1)
			early := feed.times()
			after(1)
			if early != i+1 || feed.times() != i+2 {
				t.Errorf("asked %d times before %d s passed and %d times after", early, pause, feed.times())
			}
		}
		if _, ok := b.Model(bob, llm); ok || b.Transcoding(bob) != nil || shown(b.Transcoding(alice)) != "3" {
			t.Error("a price without rate is read")
		}
		if _, ok := b.PricePerPixel(bob); ok {
			t.Error("a price without rate is converted")
		}
		if got := codes(board); got != "PriceFeedFailing PriceRateUnknown" {
			t.Errorf("conditions %s", got)
		}
		feed.set(func(f *fakeFeed) { f.err = nil })
		after(240 * time.Second)
		if got, ok := b.Model(bob, llm); !ok || shown(got) != "500000000" || shown(b.Transcoding(bob)) != "500000" ||
			codes(board) != "" {
			t.Errorf("%s %s %s", shown(got), shown(b.Transcoding(bob)), codes(board))
		}
	})
}

// What the feed says is not always believed.
func TestDoubtfulRates(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		feed := newFeed()
		rates, board := newRates(feed)
		b, err := pricing.New(pricing.Options{Default: unit(t, "1USD/1e9"), Rates: rates, Board: board, Log: quiet})
		if err != nil {
			t.Fatal(err)
		}
		run(t, rates)
		after(31 * time.Second) // the first rate is confirmed
		for _, step := range []struct {
			change      func(*fakeFeed)
			hours       int
			price, code string
			says        string
		}{
			{func(f *fakeFeed) {}, 0, "500000", "", ""},
			{func(f *fakeFeed) { f.price = big.NewRat(4000, 1) }, 1, "500000", "PriceRateDoubtful",
				"the feed now answers 250000000000000 wei"},
			{func(f *fakeFeed) {}, 1, "250000", "", ""},
			{func(f *fakeFeed) { f.age = 25 * time.Hour }, 3, "250000", "PriceRateDoubtful", "25h0m0s old"},
			{func(f *fakeFeed) { f.age, f.description = 0, "ETH / EUR" }, 1, "250000", "PriceRateDoubtful", "EUR"},
			{func(f *fakeFeed) { f.description = "no feed" }, 1, "250000", "PriceFeedFailing PriceRateDoubtful", ""},
			{func(f *fakeFeed) { f.description = "USD/ETH"; f.price = big.NewRat(1, 4000) }, 1, "250000", "", ""},
		} {
			feed.set(step.change)
			after(time.Duration(step.hours) * time.Hour)
			if got := shown(b.Transcoding(bob)); got != step.price || codes(board) != step.code {
				t.Errorf("price %s, want %s; conditions %q, want %q", got, step.price, codes(board), step.code)
			}
			if why := detail(board, fault.PriceRateDoubtful); !strings.Contains(why, step.says) || step.says != "" &&
				!strings.Contains(why, "stays in use") {
				t.Errorf("it says %q", why)
			}
		}
	})
}

// A first rate that is false, with which nothing can be compared, is corrected within a minute: it does not make the
// true ones doubtful.
func TestAFalseFirstRate(t *testing.T) {
	t.Parallel()
	for _, lie := range []*big.Rat{big.NewRat(1, 1000), big.NewRat(1e18, 1)} {
		synctest.Test(t, func(t *testing.T) {
			feed := newFeed()
			truth := feed.price
			feed.price = lie
			rates, board := newRates(feed)
			b, err := pricing.New(pricing.Options{Default: unit(t, "1USD/1e9"), Rates: rates, Board: board, Log: quiet})
			if err != nil {
				t.Fatal(err)
			}
			run(t, rates)
			after(time.Second)
			feed.set(func(f *fakeFeed) { f.price = truth })
			after(time.Minute)
			if got := shown(b.Transcoding(bob)); got != "500000" || codes(board) != "" {
				t.Errorf("a minute later the price is %s, conditions %q", got, codes(board))
			}
			after(time.Minute)
			feed.set(func(f *fakeFeed) { f.price = lie })
			after(3 * time.Hour)
			if got := shown(b.Transcoding(bob)); got != "500000" || codes(board) != "PriceRateDoubtful" {
				t.Errorf("after another lie the price is %s, conditions %q", got, codes(board))
			}
		})
	}
}

// The first rate is not taken at any price either.
func TestFirstRateIsOld(t *testing.T) {
	t.Parallel()
	feed := newFeed()
	feed.age = 48 * time.Hour
	rates, board := newRates(feed)
	b, err := pricing.New(pricing.Options{Default: unit(t, "5"), Rates: rates, Board: board, Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.SetPrice(t.Context(), alice, unit(t, "1USD/1e9")); !errors.Is(err, fault.PriceRateDoubtful) ||
		shown(b.Transcoding(alice)) != "5" {
		t.Errorf("%v, price %s", err, shown(b.Transcoding(alice)))
	}
	if got := detail(board, fault.PriceRateDoubtful); !strings.HasSuffix(got, "; no rate is known") {
		t.Errorf("it says %q", got)
	}
}

// A price set at run time is refused where its rate cannot be had.
func TestSetPriceInCurrency(t *testing.T) {
	t.Parallel()
	feed := newFeed()
	rates, board := newRates(feed)
	b, err := pricing.New(pricing.Options{Rates: rates, Board: board, Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	feed.err = errors.New("no endpoint")
	if err := b.SetPrice(t.Context(), alice, unit(t, "1USD/1e9")); !errors.Is(err, fault.PriceFeedFailing) {
		t.Errorf("failing feed: %v", err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.SetPrice(gone, alice, unit(t, "1USD/1e9")); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	feed.err = nil
	for price, code := range map[string]fault.Code{"1EUR/1e9": fault.PriceCurrencyUnknown,
		"10USD": fault.PriceOutOfRange} {
		if err := b.CheckPrice(t.Context(), alice, unit(t, price)); !errors.Is(err, code) {
			t.Errorf("%s: %v", price, err)
		}
	}
	if err := b.SetPrice(t.Context(), alice, unit(t, "1UsD/1e9")); err != nil ||
		shown(b.Transcoding(alice)) != "500000" || codes(board) != "" {
		t.Errorf("%v %s %s", err, shown(b.Transcoding(alice)), codes(board))
	}
	if rates.Currency() != "USD" || rates.Name() != "price feed" {
		t.Errorf("%s of %s", rates.Currency(), rates.Name())
	}
}

// A node whose prices are in a currency that the feed does not have says so.
func TestPricesInAnotherCurrency(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rates, board := newRates(newFeed())
		b, err := pricing.New(pricing.Options{Default: unit(t, "1EUR/1e9"), Rates: rates, Board: board, Log: quiet})
		if err != nil {
			t.Fatal(err)
		}
		run(t, rates)
		after(time.Second)
		if got := detail(board, fault.PriceCurrencyUnknown); got != "prices are in EUR, and the price feed has the rate "+
			"of USD" ||
			codes(board) != "PriceCurrencyUnknown" {
			t.Errorf("%q of %s", got, codes(board))
		}
		if b.Transcoding(alice) != nil {
			t.Error("the price is read")
		}
		if err := b.SetPrice(t.Context(), core.Address{}, unit(t, "1usd/1e9")); err != nil || codes(board) != "" {
			t.Errorf("%v %s", err, codes(board))
		}
	})
}
