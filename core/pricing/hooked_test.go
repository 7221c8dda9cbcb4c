package pricing_test

import (
	"log/slog"
	"math/big"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/pricing"
)

// A gateway with a price of the service's pays that, all others what the book says.
func TestHookedPrices(t *testing.T) {
	t.Parallel()
	own, listed, other := core.Address{1}, core.Address{2}, core.Address{3}
	wei := func(text string, pixels core.Pixels) core.UnitPrice {
		p, err := core.ParsePrice(text)
		if err != nil {
			t.Fatal(err)
		}
		return core.UnitPrice{Price: p, PixelsPerUnit: pixels}
	}
	book, err := pricing.New(pricing.Options{Default: wei("100", 1), Log: slog.New(slog.DiscardHandler),
		Board:    health.New(slog.New(slog.DiscardHandler), time.Now, nil),
		Gateways: map[core.Address]core.UnitPrice{listed: wei("50", 1), own: wei("60", 1)}})
	if err != nil {
		t.Fatal(err)
	}
	h := pricing.Hooked{Book: book, Own: func(a core.Address) *big.Rat {
		if a == own {
			return big.NewRat(7, 2)
		}
		return nil
	}}
	for a, want := range map[core.Address]string{own: "7/2", listed: "50", other: "100"} {
		if p := h.Transcoding(a); p.RatString() != want {
			t.Errorf("%s pays %s, want %s", a, p.RatString(), want)
		}
	}
	for _, price := range []string{"5", "0"} {
		if err := book.CheckWei(wei(price, 1)); err != nil {
			t.Errorf("%s wei: %v", price, err)
		}
	}
	if err := book.CheckWei(wei("1000000000000000001", 1)); fault.CodeOf(err) != fault.PriceOutOfRange {
		t.Error("a price beyond every market:", err)
	}
	if err := book.CheckWei(wei("1", 1<<62)); fault.CodeOf(err) != fault.PriceRoundsToZero {
		t.Error("a price that rounds to nothing:", err)
	}
}
