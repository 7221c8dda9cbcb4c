package adminview_test

import (
	"context"
	"log/slog"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/adminview"
	"github.com/tuttinode/tutti/cmd/tutti/internal/prices"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/pm"
)

// Who has an account or a price of its own is quoted, each once, with what redemption
// adds, or with why there is no quote.
func TestQuotes(t *testing.T) {
	t.Parallel()
	cfg, _, err := config.Load(config.Input{Home: t.TempDir(),
		Args: strings.Fields("-orchestrator -transcoder -serviceAddr 127.0.0.1:8935 -network devnet -pricePerUnit 1200 " +
			`-pricePerGateway {"gateways":[{"ethaddress":"0xd8e8328501e9645d16cf49539efc04f734606ee4","priceperunit":1000,` +
			`"pixelsperunit":1}]}`)})
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	p, err := prices.New(prices.Options{Config: cfg, Log: log, Board: health.New(log, time.Now, nil)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	own, _ := core.ParseAddress("0xd8e8328501e9645d16cf49539efc04f734606ee4")
	rich, underfunded := core.Address{19: 1}, core.Address{19: 2}
	q := &adminview.PriceQuotes{
		Book:   p.Book,
		Paying: func(context.Context) []core.Address { return []core.Address{underfunded, own, rich, rich} },
		Quote: func(_ context.Context, gateway core.Address, _ []inference.Model) (pm.Quote, error) {
			if gateway == underfunded {
				return pm.Quote{}, fault.New(fault.InsufficientSenderReserve, "quote", "")
			}
			return pm.Quote{Price: pm.RawPrice(new(big.Rat).Mul(p.Book.Transcoding(gateway), big.NewRat(5, 4)))}, nil
		},
	}
	got := q.Quotes(t.Context())
	text := func(v adminapi.Quote) string {
		if v.WeiPerUnit == nil {
			return v.Problem
		}
		return *v.WeiPerUnit
	}
	if len(got) != 3 || got[0].Gateway != rich || text(got[0]) != "1500" || got[0].Overhead != 0.25 ||
		text(got[1]) != string(fault.InsufficientSenderReserve) || got[2].Gateway != own || text(got[2]) != "1250" {
		t.Errorf("quotes %+v", got)
	}
}
