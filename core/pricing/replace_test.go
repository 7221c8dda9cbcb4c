package pricing_test

import (
	"errors"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pricing"
)

func TestReplacePrices(t *testing.T) {
	t.Parallel()
	b, _ := newBook(t, pricing.Options{Default: unit(t, "100"), Gateways: map[core.Address]core.UnitPrice{alice: unit(t,
		"7")},
		Models: []pricing.ModelPrice{{Model: llm, Price: unit(t, "3")}}})
	if _, err := b.Replace(t.Context(), given(unit(t, "200")), map[core.Address]core.UnitPrice{bob: unit(t,
		"1USD")}); !errors.Is(err, fault.PriceCurrencyUnknown) {
		t.Errorf("a currency without a feed: %v", err)
	}
	apply, err := b.Replace(t.Context(), given(unit(t, "200")), map[core.Address]core.UnitPrice{bob: unit(t, "9")})
	if err != nil {
		t.Fatal(err)
	}
	if got := shown(b.Transcoding(bob)) + " " + shown(b.Transcoding(alice)); got != "100 7" {
		t.Errorf("before it is applied: %s", got)
	}
	apply()
	if got := shown(b.Transcoding(bob)) + " " + shown(b.Transcoding(alice)); got != "9 200" {
		t.Errorf("afterwards: %s", got)
	}
	if p, ok := b.Model(alice, llm); !ok || shown(p) != "3" {
		t.Errorf("the model's price is %s", shown(p))
	}
}

func TestReplaceLimits(t *testing.T) {
	t.Parallel()
	c, err := pricing.NewCaps(pricing.CapsOptions{Limits: pricing.Limits{General: unit(t, "5")},
		Board: health.New(quiet, time.Now, nil), Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	apply, err := c.Replace(t.Context(), &core.UnitPrice{},
		&pricing.Limits{Models: map[inference.Model]core.UnitPrice{llm: unit(t, "8")}})
	if err != nil {
		t.Fatal(err)
	}
	apply()
	if got := shown(c.MaxModel(llm)); got != "8" || c.General().IsSet() {
		t.Errorf("the model's limit is %s, the general one %s", got, c.General())
	}
}

func given(u core.UnitPrice) *core.UnitPrice { return &u }

// TestReplaceSome: what is not named stays as it was set meanwhile.
func TestReplaceSome(t *testing.T) {
	t.Parallel()
	b, _ := newBook(t, pricing.Options{Default: unit(t, "100")})
	if err := b.SetPrice(t.Context(), core.Address{}, unit(t, "300")); err != nil {
		t.Fatal(err)
	}
	apply, err := b.Replace(t.Context(), nil, map[core.Address]core.UnitPrice{bob: unit(t, "9")})
	if err != nil {
		t.Fatal(err)
	}
	apply()
	if apply, err = b.Replace(t.Context(), nil, nil); err != nil {
		t.Fatal(err)
	}
	apply()
	if got := shown(b.Transcoding(alice)) + " " + shown(b.Transcoding(bob)); got != "300 9" {
		t.Errorf("prices are %s", got)
	}
	c, err := pricing.NewCaps(pricing.CapsOptions{Limits: pricing.Limits{General: unit(t, "5")},
		Board: health.New(quiet, time.Now, nil), Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.SetMaxModel(t.Context(), llm, unit(t, "8")); err != nil {
		t.Fatal(err)
	}
	if apply, err = c.Replace(t.Context(), given(unit(t, "6")), nil); err != nil {
		t.Fatal(err)
	}
	apply()
	if got := shown(c.MaxModel(llm)) + " " + shown(c.MaxTranscoding()); got != "8 6" {
		t.Errorf("limits are %s", got)
	}
}
