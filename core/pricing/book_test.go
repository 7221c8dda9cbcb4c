package pricing_test

import (
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pricing"
)

var (
	llm   = inference.Model{Capability: capability.LLM, ID: "meta-llama/Meta-Llama-3.1-8B-Instruct"}
	other = inference.Model{Capability: capability.LLM, ID: "other"}
	image = inference.Model{Capability: capability.TextToImage, ID: "sd"}
)

func newBook(t testing.TB, opt pricing.Options) (*pricing.Book, *health.Board) {
	t.Helper()
	opt.Board, opt.Log = health.New(quiet, time.Now, nil), quiet
	b, err := pricing.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	return b, opt.Board
}

// The gateway and the model of a price.
func TestBook(t *testing.T) {
	t.Parallel()
	b, board := newBook(t, pricing.Options{
		Default:  unit(t, "1200/5"),
		Gateways: map[core.Address]core.UnitPrice{alice: unit(t, "0.001ETH/1e15")},
		Models: []pricing.ModelPrice{
			{Model: llm, Price: unit(t, "1")}, {Model: llm, Price: unit(t, "60000000")},
			{Model: llm, Gateway: alice, Price: unit(t, "7")},
			{Model: image, Gateway: alice, Price: unit(t, "0")},
		},
		AutoAdjust: true,
	})
	if got := shown(b.Transcoding(bob)) + " " + shown(b.Transcoding(alice)); got != "240 1" {
		t.Errorf("transcoding: %s", got)
	}
	for _, c := range []struct {
		gateway core.Address
		model   inference.Model
		want    string
	}{{bob, llm, "60000000"}, {alice, llm, "7"}, {alice, image, "0"}, {bob, image, "none"}, {alice, other, "none"}} {
		got, ok := b.Model(c.gateway, c.model)
		if shown(got) != c.want || ok != (c.want != "none") {
			t.Errorf("%s for %s costs %s, %v, want %s", c.model, c.gateway, shown(got), ok, c.want)
		}
	}
	if got := b.Models(); !slices.Equal(got, []inference.Model{image, llm}) {
		t.Errorf("models %v", got)
	}
	if !b.AutoAdjust() || codes(board) != "" {
		t.Errorf("adjusted %v, conditions %s", b.AutoAdjust(), codes(board))
	}
	b.Transcoding(alice).SetInt64(-1)
	if got, _ := b.Model(alice, llm); got.SetInt64(-1) == nil || shown(b.Transcoding(alice)) != "1" {
		t.Error("the caller changed the price")
	}
	if got, _ := b.Model(alice, llm); shown(got) != "7" {
		t.Error("the caller changed a model's price")
	}
}

// Without a price transcoding is free: such a node has no transcoder.
func TestBookWithoutPrices(t *testing.T) {
	t.Parallel()
	b, board := newBook(t, pricing.Options{})
	if p, ok := b.PricePerPixel(alice); !ok || p.Sign() != 0 || len(b.Models()) != 0 || codes(board) != "" {
		t.Errorf("%v %v %v %s", p, ok, b.Models(), codes(board))
	}
}

func TestSetPrice(t *testing.T) {
	t.Parallel()
	b, _ := newBook(t, pricing.Options{Default: unit(t, "5")})
	for _, step := range []struct {
		gateway           core.Address
		price             string
		code              fault.Code
		forAlice, forRest string
	}{
		{core.Address{}, "6", "", "6", "6"},
		{alice, "1e3/10", "", "100", "6"},
		{core.Address{}, "0.5ETH/1e15", "", "100", "500"},
		{core.Address{}, "1e16", fault.PriceOutOfRange, "100", "500"},
		{alice, "1USD", fault.PriceCurrencyUnknown, "100", "500"},
		{alice, "0USD", "", "0", "500"},
	} {
		price := unit(t, step.price)
		checked, err := b.CheckPrice(t.Context(), step.gateway, price), b.SetPrice(t.Context(), step.gateway, price)
		for _, err := range []error{checked, err} {
			if step.code == "" && err != nil || step.code != "" && !errors.Is(err, step.code) {
				t.Errorf("%s: %v, want %s", step.price, err, step.code)
			}
		}
		if got := [2]string{shown(b.Transcoding(alice)), shown(b.Transcoding(bob))}; got != [2]string{step.forAlice,
			step.forRest} {
			t.Errorf("after %s the prices are %v", step.price, got)
		}
	}
	if err := b.SetPrice(t.Context(), alice, core.UnitPrice{}); !errors.Is(err, fault.AdminBadParam) {
		t.Errorf("no price: %v", err)
	}
	if got := b.Price(alice).String() + ", " + b.Price(bob).String(); got != "0USD per 1, 0.5ETH per 1000000000000000" {
		t.Errorf("as set: %s", got)
	}
	if got := b.Gateways(); len(got) != 1 {
		t.Errorf("gateways %v", got)
	}
}

// The number of gateways with a price of their own is bounded, and those that have
// one can still be changed.
func TestSetPriceIsBounded(t *testing.T) {
	t.Parallel()
	full := map[core.Address]core.UnitPrice{alice: unit(t, "1")}
	for i := 0; len(full) < pricing.MaxEntries; i++ {
		full[core.Address{1, 2: byte(i), 3: byte(i >> 8)}] = unit(t, "2")
	}
	b, _ := newBook(t, pricing.Options{Gateways: full})
	if err := b.SetPrice(t.Context(), bob, unit(t, "3")); !errors.Is(err, fault.AdminBadParam) {
		t.Errorf("one too many: %v", err)
	}
	for _, gateway := range []core.Address{alice, {}} {
		if err := b.SetPrice(t.Context(), gateway, unit(t, "3")); err != nil {
			t.Error(err)
		}
	}
}

// What cannot be asked keeps a node from starting, but for models: those are left
// out.
func TestPricesThatCannotBeAsked(t *testing.T) {
	t.Parallel()
	for code, opt := range map[fault.Code]pricing.Options{
		fault.PriceOutOfRange:      {Default: unit(t, "2e15")},
		fault.PriceCurrencyUnknown: {Gateways: map[core.Address]core.UnitPrice{alice: unit(t, "1EUR")}},
	} {
		opt.Board, opt.Log = health.New(quiet, time.Now, nil), quiet
		if _, err := pricing.New(opt); !errors.Is(err, code) {
			t.Errorf("%v, want %s", err, code)
		}
	}
	b, board := newBook(t, pricing.Options{Models: []pricing.ModelPrice{
		{Model: llm, Price: unit(t, "1EUR")}, {Model: other, Price: unit(t, "2e15")}, {Model: image, Price: unit(t, "4")},
	}})
	for m, want := range map[inference.Model]bool{llm: false, other: false, image: true} {
		if _, ok := b.Model(alice, m); ok != want {
			t.Errorf("%s: %v", m, ok)
		}
	}
	if got := codes(board); got != "PriceCurrencyUnknown PriceImplausible" {
		t.Errorf("conditions %s", got)
	}
}

// The row of "few or no jobs, no errors".
func TestImplausiblePrices(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ transcoding, llm, image, want string }{
		{"1200", "60000000", "4768371", ""},
		{"999999", "999999999999", "9999999999", ""},
		{"1000000", "5", "5", "transcoding costs 1000000 wei per 1, 1000000 wei a unit"},
		{"1ETH/1e12", "5", "5", "transcoding costs 1ETH per 1000000000000, 1000000 wei a unit"},
		{"5", "1e12", "5", llm.String() + " costs 1000000000000 wei per 1, 1000000000000 wei a unit"},
		{"5", "5", "1e10", "text-to-image sd costs 10000000000 wei per 1, 10000000000 wei a unit"},
	} {
		b, board := newBook(t, pricing.Options{Default: unit(t, c.transcoding), Models: []pricing.ModelPrice{
			{Model: llm, Price: unit(t, c.llm)}, {Model: image, Price: unit(t, c.image)}}})
		if got := detail(board, fault.PriceImplausible); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
		if err := b.SetPrice(t.Context(), core.Address{}, unit(t, "5")); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(c.want, "transcoding") && codes(board) != "" {
			t.Errorf("it stays after the price was corrected: %s", codes(board))
		}
	}
}

// A price above 0 that offers would carry as 0 is refused, where they do.
func TestPricesThatRoundToZero(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		price   string
		adjust  bool
		refused bool
	}{
		{"1/1001", true, true}, {"1/1001", false, false}, {"1/1000", true, false}, {"1/1e15", false, false},
		{"0", true, false},
		{"1e-40ETH/1", false, true}, {"1e-21ETH/1", true, false}, {"1e-22ETH/1", true, true},
	} {
		board := health.New(slog.New(slog.DiscardHandler), time.Now, nil)
		opt := pricing.Options{Default: unit(t, c.price), AutoAdjust: c.adjust, Board: board,
			Log: slog.New(slog.DiscardHandler)}
		_, err := pricing.New(opt)
		if (fault.CodeOf(err) == fault.PriceRoundsToZero) != c.refused || !c.refused && err != nil {
			t.Errorf("%s, adjusted %v: %v", c.price, c.adjust, err)
		}
		opt.Default = unit(t, "5")
		b, err := pricing.New(opt)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.SetPrice(t.Context(), core.Address{}, unit(t, c.price)); (err != nil) != c.refused {
			t.Errorf("set %s, adjusted %v: %v", c.price, c.adjust, err)
		}
	}
}

// A model's price that rounds to 0 offers the model to no gateway, and is reported.
func TestModelPricesThatRoundToZero(t *testing.T) {
	t.Parallel()
	llm := inference.Model{Capability: capability.LLM, ID: "m"}
	b, board := newBook(t, pricing.Options{Default: unit(t, "5"), AutoAdjust: true,
		Models: []pricing.ModelPrice{{Model: llm, Price: unit(t, "1/1001")}}})
	if p, ok := b.Model(core.Address{}, llm); ok || codes(board) != string(fault.PriceRoundsToZero) {
		t.Errorf("%v %v, %s", p, ok, codes(board))
	}
}

// Many problems make one condition of bounded length.
func TestManyImplausiblePrices(t *testing.T) {
	t.Parallel()
	tooHigh := map[core.Address]core.UnitPrice{}
	for i := range 50 {
		tooHigh[core.Address{byte(i + 1)}] = unit(t, "1e9")
	}
	_, board := newBook(t, pricing.Options{Gateways: tooHigh})
	if got := detail(board, fault.PriceImplausible); !strings.HasSuffix(got, "; and 47 more") || len(got) > 500 {
		t.Errorf("%q", got)
	}
}

// Whatever is set in whatever order, a gateway pays its own price or the default,
// exactly, also while others change and read.
func TestBookIsAMap(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		b, _ := newBook(t, pricing.Options{Default: unit(t, "1")})
		model := map[core.Address]string{{}: "1"}
		gateway := rapid.SampledFrom([]core.Address{{}, alice, bob, {1}})
		for range rapid.IntRange(0, 20).Draw(rt, "steps") {
			g, price := gateway.Draw(rt, "gateway"), rapid.Uint64Max(1_000_000_000_000).Draw(rt, "price")
			text := core.NewWei(price).String()
			if err := b.SetPrice(t.Context(), g, unit(t, text)); err != nil {
				rt.Fatal(err)
			}
			model[g] = text
		}
		g := gateway.Draw(rt, "asks")
		want, ok := model[g]
		if !ok {
			want = model[core.Address{}]
		}
		if got := shown(b.Transcoding(g)); got != want {
			rt.Fatalf("%s pays %s, want %s", g, got, want)
		}
	})
}

func TestBookIsSharedSafely(t *testing.T) {
	t.Parallel()
	b, _ := newBook(t, pricing.Options{Default: unit(t, "1")})
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for range 200 {
				_ = b.SetPrice(t.Context(), core.Address{byte(i)}, unit(t, "2"))
				_, _ = b.Transcoding(alice), b.Models()
			}
		})
	}
	all.Wait()
	if shown(b.Transcoding(alice)) != "2" {
		t.Error("the default is lost")
	}
}

// The list has everything once, in a fixed order.
func TestList(t *testing.T) {
	t.Parallel()
	b, board := newBook(t, pricing.Options{
		Default:  unit(t, "1200/5"),
		Gateways: map[core.Address]core.UnitPrice{bob: unit(t, "2"), alice: unit(t, "1")},
		Models: []pricing.ModelPrice{{Model: llm, Gateway: alice, Price: unit(t, "1USD/1e6")},
			{Model: llm, Price: unit(t, "9")}},
	})
	c, err := pricing.NewCaps(pricing.CapsOptions{Board: board, Log: quiet, Limits: pricing.Limits{
		Models:    map[inference.Model]core.UnitPrice{llm: unit(t, "4")},
		Pipelines: map[capability.ID]core.UnitPrice{capability.LLM: unit(t, "3")}}})
	if err != nil {
		t.Fatal(err)
	}
	show := func(all []pricing.ListedPrice) (out []string) {
		for _, l := range all {
			out = append(out, strings.Join([]string{l.Gateway.String()[2:4], l.Model.ID, l.Price.String(), shown(l.Wei)}, ","))
		}
		return out
	}
	if got, want := show(b.List()), []string{"00,,1200 wei per 5,240", "A1,,1 wei per 1,1", "B0,,2 wei per 1,2",
		"00," + llm.ID + ",9 wei per 1,9", "A1," + llm.ID + ",1USD per 1000000,none"}; !slices.Equal(got, want) {
		t.Errorf("prices %q", got)
	}
	if got, want := show(c.List()), []string{"00,,,0", "00,,3 wei per 1,3", "00," + llm.ID +
		",4 wei per 1,4"}; !slices.Equal(got, want) {
		t.Errorf("limits %q", got)
	}
}
