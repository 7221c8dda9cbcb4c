package prices_test

import (
	"context"
	"log/slog"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/ai/models"
	"github.com/tuttinode/tutti/cmd/tutti/internal/prices"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/inference"
)

// options are those of a node with these arguments, whose feed must not be asked.
func options(t *testing.T, args string) prices.Options {
	t.Helper()
	cfg, _, err := config.Load(config.Input{Args: strings.Fields(args), Home: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	return prices.Options{Config: cfg, Log: log, Board: health.New(log, time.Now, nil), Feed: noFeed(t)}
}

// noFeed is a feed that must not be asked.
func noFeed(t *testing.T) prices.FeedFunc {
	return func(context.Context, core.Address) (string, *big.Rat, time.Time, error) {
		t.Error("the feed is read although every price is in wei")
		return "", nil, time.Time{}, context.Canceled
	}
}

func TestPricesOfAnOrchestrator(t *testing.T) {
	t.Parallel()
	o := options(t, "-orchestrator -transcoder -serviceAddr 127.0.0.1:8935 -network devnet "+
		"-pricePerUnit 1200 -pixelsPerUnit 2 "+
		`-pricePerGateway {"gateways":[{"ethaddress":"0xd8e8328501e9645d16cf49539efc04f734606ee4","priceperunit":7,`+
		`"pixelsperunit":1}]}`)
	llm := inference.Model{Capability: capability.LLM, ID: "m"}
	price, _ := core.ParsePrice("5")
	list := &models.Config{Entries: []models.Entry{{Model: llm,
		Prices: []models.GatewayPrice{{Price: core.UnitPrice{Price: price, PixelsPerUnit: 1}}}}}}
	p, err := prices.New(o, list)
	if err != nil {
		t.Fatal(err)
	}
	known, _ := core.ParseAddress("0xd8e8328501e9645d16cf49539efc04f734606ee4")
	if got := p.Book.Transcoding(core.Address{1}).RatString() + " " +
		p.Book.Transcoding(known).RatString(); got != "600 7" {
		t.Errorf("prices %s", got)
	}
	if got, ok := p.Book.Model(core.Address{1}, llm); !ok || got.RatString() != "5" {
		t.Errorf("the model costs %v", got)
	}
	if m := p.Market(nil); m.Prices == nil || m.Caps != nil || p.Caps != nil {
		t.Error("an orchestrator has prices and no limits")
	}
}

func TestPricesOfAGateway(t *testing.T) {
	t.Parallel()
	o := options(t, "-gateway -network devnet -maxPricePerUnit 2000")
	p, err := prices.New(o, nil)
	if err != nil {
		t.Fatal(err)
	}
	if m := p.Market(nil); m.Prices != nil || m.Caps == nil || m.Caps.MaxTranscoding().RatString() != "2000" {
		t.Error("a gateway has limits and no prices")
	}
	if m := (*prices.Tables)(nil).Market(nil); m.Prices != nil || m.Caps != nil {
		t.Error("a node off the chain has prices")
	}
}
