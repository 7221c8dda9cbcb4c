package pricing_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pricing"
)

// bounds are the limits on transcoding, two models of one pipeline, and another
// pipeline.
func bounds(c *pricing.Caps) [4]string {
	return [4]string{shown(c.MaxTranscoding()), shown(c.MaxModel(llm)), shown(c.MaxModel(other)), shown(c.MaxModel(image))}
}

func TestCaps(t *testing.T) {
	t.Parallel()
	c, err := pricing.NewCaps(pricing.CapsOptions{Board: health.New(quiet, time.Now, nil), Log: quiet,
		Limits: pricing.Limits{
			General: unit(t, "2000/2"), Models: map[inference.Model]core.UnitPrice{llm: unit(t, "7")},
		}})
	if err != nil {
		t.Fatal(err)
	}
	all := inference.Model{Capability: capability.LLM}
	for _, step := range []struct {
		model *inference.Model
		price string
		code  fault.Code
		want  [4]string
	}{
		{&all, "9", "", [4]string{"1000", "7", "9", "1000"}},
		{&llm, "0", "", [4]string{"1000", "9", "9", "1000"}},
		{nil, "0", "", [4]string{"none", "9", "9", "none"}},
		{&image, "0.5ETH/1e15", "", [4]string{"none", "9", "9", "500"}},
		{&all, "1USD", fault.PriceCurrencyUnknown, [4]string{"none", "9", "9", "500"}},
		{nil, "1e16", fault.PriceOutOfRange, [4]string{"none", "9", "9", "500"}},
		{nil, "5", "", [4]string{"5", "9", "9", "500"}},
	} {
		if step.model == nil {
			err = c.SetMaxTranscoding(t.Context(), unit(t, step.price))
		} else {
			err = c.SetMaxModel(t.Context(), *step.model, unit(t, step.price))
		}
		if step.code == "" && err != nil || step.code != "" && !errors.Is(err, step.code) {
			t.Errorf("%s: %v, want %s", step.price, err, step.code)
		}
		if got := bounds(c); got != step.want {
			t.Errorf("after %s: %v, want %v", step.price, got, step.want)
		}
	}
	if c.General().String() != "5 wei per 1" {
		t.Errorf("general %s", c.General())
	}
	c.MaxTranscoding().SetInt64(9)
	if shown(c.MaxTranscoding()) != "5" {
		t.Error("the caller changed the limit")
	}
}

// Without limits every price is taken.
func TestNoCaps(t *testing.T) {
	t.Parallel()
	c, err := pricing.NewCaps(pricing.CapsOptions{Board: health.New(quiet, time.Now, nil), Log: quiet})
	if err != nil || bounds(c) != [4]string{"none", "none", "none", "none"} {
		t.Errorf("%v %v", bounds(c), err)
	}
	_, err = pricing.NewCaps(pricing.CapsOptions{Board: health.New(quiet, time.Now, nil), Log: quiet,
		Limits: pricing.Limits{General: unit(t, "1USD")}})
	if !errors.Is(err, fault.PriceCurrencyUnknown) {
		t.Errorf("a currency without feed: %v", err)
	}
}

// A limit whose rate is not known lets nothing through that costs something.
func TestCapsWaitForTheirRate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		feed := newFeed()
		feed.err = errors.New("no endpoint")
		rates, board := newRates(feed)
		c, err := pricing.NewCaps(pricing.CapsOptions{Rates: rates, Board: board, Log: quiet, Limits: pricing.Limits{
			General: unit(t, "1USD/1e9"), Pipelines: map[capability.ID]core.UnitPrice{capability.LLM: unit(t, "2")},
		}})
		if err != nil {
			t.Fatal(err)
		}
		run(t, rates)
		after(time.Second)
		if got := bounds(c); got != [4]string{"0", "2", "2", "0"} || codes(board) != "PriceFeedFailing PriceRateUnknown" {
			t.Errorf("%v %s", got, codes(board))
		}
		feed.set(func(f *fakeFeed) { f.err = nil })
		after(time.Minute)
		if got := bounds(c); got != [4]string{"500000", "2", "2", "500000"} || codes(board) != "" {
			t.Errorf("%v %s", got, codes(board))
		}
	})
}

// TestHighestCap: work of which it is not known what it is has the highest of all limits, none while there is none, and
// no price while the rate of the only ones is not known.
func TestHighestCap(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		limits pricing.Limits
		want   string
	}{
		{pricing.Limits{}, "none"},
		{pricing.Limits{Models: map[inference.Model]core.UnitPrice{llm: unit(t, "0")}}, "none"},
		{pricing.Limits{Models: map[inference.Model]core.UnitPrice{llm: unit(t, "7"), other: unit(t, "9")}}, "9"},
		{pricing.Limits{General: unit(t, "5"), Pipelines: map[capability.ID]core.UnitPrice{capability.LLM: unit(t, "8")},
			Models: map[inference.Model]core.UnitPrice{llm: unit(t, "7")}}, "8"},
	} {
		caps, err := pricing.NewCaps(pricing.CapsOptions{Board: health.New(quiet, time.Now, nil), Log: quiet,
			Limits: c.limits})
		if err != nil {
			t.Fatal(err)
		}
		if got := shown(caps.Highest()); got != c.want {
			t.Errorf("%+v: %s, want %s", c.limits, got, c.want)
		}
	}
}
