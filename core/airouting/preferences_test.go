package airouting_test

import (
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/airouting"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pipeline"
)

// at names orchestrators.
func at(t interface{ Fatal(...any) }, names ...string) (out []airouting.Provider) {
	for _, n := range names {
		p, err := airouting.ParseProvider(n)
		if err != nil {
			t.Fatal(n, err)
		}
		out = append(out, p)
	}
	return out
}

const account = "0x0000000000000000000000000000000000000011"

// fourKinds is one of each kind: a is expensive, loaded and a tutti node; b is cheap and not loaded; c
// costs more than b and is of the existing network; d only claims the account that a registered.
func fourKinds() []airouting.Offer {
	owner, _ := core.ParseAddress(account)
	return []airouting.Offer{
		{URI: "https://a.example:8935", Warm: true, Capacity: 4, Own: true, Price: big.NewRat(9, 1), Owner: owner,
			Registered: true},
		{URI: "https://b.example:8935", Capacity: 4, Own: true, Price: big.NewRat(1, 1)},
		{URI: "https://c.example:8935", Warm: true, Capacity: 4, Price: big.NewRat(2, 1)},
		{URI: "https://d.example:8936", Warm: true, Capacity: 4, Own: true, Price: big.NewRat(20, 1), Owner: owner},
	}
}

// placed is an explanation as text: ranked orchestrators, then the others with their reasons.
func placed(choices []airouting.Choice) string {
	var parts []string
	for _, c := range choices {
		name := strings.TrimPrefix(c.Status.Offer.URI, "https://")[:1]
		if c.Rank == 0 {
			name += ":" + string(c.Reason)
		}
		parts = append(parts, name)
	}
	return strings.Join(parts, " ")
}

func TestPreferences(t *testing.T) {
	t.Parallel()
	type wishes = airouting.Preferences
	for name, tt := range map[string]struct {
		p    wishes
		kind airouting.Kind
		want string
		v    airouting.Verdict
	}{
		"order": {wishes{Order: at(t, "c.example", "b.example:8935", "https://d.example:8936")}, 0, "c b d a", 0},
		"order, and no others": {wishes{Order: at(t, "b.example"), NoFallbacks: true}, 0,
			"b a:not_in_order c:not_in_order d:not_in_order", 0},
		"order before the kind": {wishes{Order: at(t, "c.example")}, airouting.OwnFirst, "c a d b", 0},
		"only":                  {wishes{Only: at(t, "b.example", "d.example")}, 0, "d b a:not_in_only c:not_in_only", 0},
		"another port":          {wishes{Only: at(t, "a.example:1")}, 0, "", airouting.Excluded},
		"another scheme":        {wishes{Only: at(t, "http://a.example:8935")}, 0, "", airouting.Excluded},
		"only an account": {wishes{Only: at(t, account)}, 0,
			"a b:not_in_only c:not_in_only d:not_in_only", 0},
		"ignore an account, also where it is only claimed": {wishes{Ignore: at(t, account)}, 0,
			"c b a:ignored d:ignored", 0},
		"ignore all": {wishes{Ignore: at(t, "a.example", "b.example", "c.example", "d.example")}, 0, "",
			airouting.Excluded},
		"price": {wishes{Sort: airouting.ByPrice}, 0, "b c a d", 0},
		"most": {wishes{MaxPrice: big.NewRat(2, 1), Sort: airouting.ByPrice}, 0,
			"b c a:above_preferred_price d:above_preferred_price", 0},
		"too little": {wishes{MaxPrice: big.NewRat(1, 2)}, 0, "", airouting.TooExpensiveForClient},
		"parameters": {wishes{KeepParameters: true, Sort: airouting.ByPrice}, airouting.OwnFirst,
			"b a d c:drops_parameters", 0},
		"no parameters to keep": {wishes{KeepParameters: true, Sort: airouting.ByPrice}, 0, "b c a d", 0},
		"the first alone": {wishes{Sort: airouting.ByPrice, NoFallbacks: true}, 0,
			"b a:no_fallbacks c:no_fallbacks d:no_fallbacks", 0},
	} {
		table := tableOf(fourKinds()...)
		q := airouting.Query{Preferences: &tt.p, Kind: tt.kind}
		if tt.v != 0 {
			if l, v := table.Pick(t0, q); l != nil || v != tt.v {
				t.Errorf("%s: verdict %d, want %d", name, v, tt.v)
			}
			continue
		}
		if got := placed(table.Explain(t0, q)); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

// The operator may let requests pay more than the gateway's maximum where there is no other; what the client pays at
// most is kept.
func TestPreferredPriceIsNotLifted(t *testing.T) {
	t.Parallel()
	table := tableOf(fourKinds()...)
	q := airouting.Query{MaxPrice: big.NewRat(1, 2), AllowExpensive: true,
		Preferences: &airouting.Preferences{MaxPrice: big.NewRat(1, 1)}}
	if l := pick(t, table, t0, q); !strings.Contains(l.URI(), "b.example") {
		t.Errorf("%s", l.URI())
	}
	q.Preferences = &airouting.Preferences{MaxPrice: big.NewRat(3, 4)}
	if l, v := table.Pick(t0, q); l != nil || v == airouting.Picked {
		t.Errorf("%v", l.URI())
	}
}

// The preferred orchestrator is passed over while it is full or rests, and gets jobs again later.
func TestOrderPassesOver(t *testing.T) {
	t.Parallel()
	table := tableOf(fourKinds()...)
	q := airouting.Query{Preferences: &airouting.Preferences{Order: at(t, "b.example", "c.example")}}
	l := pick(t, table, t0, q)
	l.Done(t0, airouting.Full)
	if got := pick(t, table, t0, q).URI(); !strings.Contains(got, "c.example") {
		t.Errorf("while it is full: %s", got)
	}
	if got := placed(table.Explain(t0, q)); !strings.HasPrefix(got, "c ") || !strings.HasSuffix(got, " b") {
		t.Errorf("while it is full: %s", got)
	}
	later := t0.Add(time.Second)
	l = pick(t, table, later, q)
	if !strings.Contains(l.URI(), "b.example") {
		t.Errorf("with a slot: %s", l.URI())
	}
	l.Done(later, airouting.Unreachable)
	if got := pick(t, table, later, q).URI(); !strings.Contains(got, "c.example") {
		t.Errorf("while it rests: %s", got)
	}
	if got := placed(table.Explain(later, q)); !strings.HasSuffix(got, "b:resting") {
		t.Errorf("while it rests: %s", got)
	}
}

func TestSortByLatency(t *testing.T) {
	t.Parallel()
	table := tableOf(warm("https://a.example"), warm("https://b.example"), warm("https://c.example"))
	for uri, first := range map[string]time.Duration{"a": 90 * ms, "b": 30 * ms, "c": 60 * ms} {
		others := []string{"https://a.example", "https://b.example", "https://c.example"}
		others = slices.DeleteFunc(others, func(o string) bool { return strings.Contains(o, uri+".example") })
		serve(t, table, t0, airouting.Query{Tried: others}, first)
	}
	q := airouting.Query{Preferences: &airouting.Preferences{Sort: airouting.ByLatency}}
	if got := placed(table.Explain(t0, q)); got != "b c a" {
		t.Errorf("%s", got)
	}
	for range 10 {
		if l := pick(t, table, t0.Add(100*ms), q); l.URI() != "https://b.example" {
			t.Fatal(l.URI())
		}
		if len(table.Statuses(t0)) != 3 {
			t.Fatal("an explanation or a choice changed the table")
		}
		if table.Statuses(t0)[1].InFlight == 4 {
			break
		}
	}
}

// Whatever a client prefers, Pick keeps it, picks something while something is left, and agrees with Explain.
func TestPreferencesProperties(t *testing.T) {
	t.Parallel()
	names := []string{"a.example", "b.example", "c.example", "d.example", account, "x.example"}
	rapid.Check(t, func(t *rapid.T) {
		list := func(label string) []airouting.Provider {
			return at(t, rapid.SliceOfN(rapid.SampledFrom(names), 0, 3).Draw(t, label)...)
		}
		p := airouting.Preferences{Order: list("order"), Only: list("only"), Ignore: list("ignore"),
			Sort:        rapid.SampledFrom([]airouting.Sort{"", airouting.ByPrice, airouting.ByLatency}).Draw(t, "sort"),
			NoFallbacks: rapid.Bool().Draw(t, "no fallbacks"), KeepParameters: rapid.Bool().Draw(t, "parameters")}
		if rapid.Bool().Draw(t, "capped") {
			p.MaxPrice = big.NewRat(rapid.Int64Range(0, 20).Draw(t, "most"), 1)
		}
		table := airouting.NewTable(airouting.Options{Rand: source(rapid.Uint64().Draw(t, "seed")),
			Memory: airouting.NewMemory(4), Name: "m"})
		for _, o := range fourKinds() {
			o.Warm, o.Capacity = rapid.Bool().Draw(t, "warm"), rapid.IntRange(0, 2).Draw(t, "capacity")
			table.Put(o)
		}
		for range rapid.IntRange(0, 4).Draw(t, "jobs before") {
			if l, _ := table.Pick(t0, airouting.Query{}); l != nil && rapid.Bool().Draw(t, "ends") {
				l.Done(t0, airouting.Outcome(rapid.IntRange(0, 6).Draw(t, "outcome")))
			}
		}
		q := airouting.Query{Preferences: &p, Kind: airouting.Kind(rapid.IntRange(0, 2).Draw(t, "kind"))}
		before := table.Statuses(t0)
		choices := table.Explain(t0, q)
		if !slices.Equal(before, table.Statuses(t0)) || len(choices) != len(before) {
			t.Fatalf("explained %d of %d, or something changed", len(choices), len(before))
		}
		l, v := table.Pick(t0, q)
		first := slices.IndexFunc(choices, func(c airouting.Choice) bool { return l != nil && c.Status.Offer.URI == l.URI() })
		switch {
		case l == nil && slices.ContainsFunc(choices, func(c airouting.Choice) bool { return c.Rank > 0 }):
			t.Fatalf("nothing is picked (%d) of %s", v, placed(choices))
		case l == nil:
			return
		case choices[first].Rank != 1:
			t.Fatalf("%s is picked, and explained as %s", l.URI(), placed(choices))
		}
		if o := choices[first].Status.Offer; p.MaxPrice != nil && o.Price.Cmp(p.MaxPrice) > 0 ||
			p.KeepParameters && q.Kind == airouting.OwnFirst && !o.Own {
			t.Fatalf("%s breaks a preference", o.URI)
		}
	})
}

func TestParsePreferences(t *testing.T) {
	t.Parallel()
	rate := func() (*big.Rat, error) { return big.NewRat(1e15, 1), nil } // a dollar is a thousandth of an ether
	none := func() (*big.Rat, error) { return nil, airouting.ErrNoRate }
	errLater := errors.New("later")
	for text, want := range map[string]string{
		`{}`: "", `null`: "", `{"order":null,"sort":null}`: "",
		`{"order":["a.example"],"only":["0x0000000000000000000000000000000000000011"],"ignore":["[::1]:8935"]}`:    "",
		`{"sort":"price","allow_fallbacks":false,"require_parameters":true,"data_collection":"allow","zdr":false}`: "",
		`{"sort":{"by":"latency","partition":"model"},"quantizations":[ ],"preferred_max_latency":{}}`:             "",
		`{"max_price":{"completion":"2.5","prompt":1,"request":0,"image":0,"audio":null}}`:                         "",
		`[]`:                                     "provider: an object was expected",
		`"price"`:                                "provider: an object was expected",
		`{"order":"a.example"}`:                  "provider.order: a list of at most 32 orchestrators was expected",
		`{"order":["a.example","openai"]}`:       `provider.order[1]: "openai" is no orchestrator: an account 0x…`,
		`{"only":["deepinfra/turbo"]}`:           `provider.only[0]: "deepinfra/turbo" is no orchestrator`,
		`{"ignore":["0x12"]}`:                    `provider.ignore[0]: "0x12" is no orchestrator`,
		`{"ignore":["https://a.example/path"]}`:  `provider.ignore[0]: "https://a.example/path" is no orchestrator`,
		`{"allow_fallbacks":"no"}`:               "provider.allow_fallbacks: true or false was expected",
		`{"require_parameters":1}`:               "provider.require_parameters: true or false was expected",
		`{"sort":"throughput"}`:                  "provider.sort: the gateway does not measure the throughput",
		`{"sort":"name"}`:                        `provider.sort: "price" or "latency" was expected`,
		`{"sort":{"by":"x"}}`:                    `provider.sort.by: "price" or "latency" was expected`,
		`{"sort":{"by":"price","partition":""}}`: `provider.sort.partition: only "by"`,
		`{"max_price":3}`:                        "provider.max_price: an object with prices was expected",
		`{"max_price":{"completion":-1}}`:        "provider.max_price.completion: a number of dollars of at least 0",
		`{"max_price":{"completion":"x"}}`:       "provider.max_price.completion: a number of dollars",
		`{"max_price":{"completion":""}}`:        "provider.max_price.completion: a number of dollars",
		`{"max_price":{"completion":1e30}}`:      "provider.max_price.completion: a number of dollars",
		`{"max_price":{"tokens":1}}`:             "provider.max_price.tokens: the gateway knows no such price",
		`{"data_collection":"deny"}`:             `provider.data_collection: only "allow" is possible`,
		`{"zdr":true}`:                           "provider.zdr: only false is possible",
		`{"quantizations":["int4"]}`:             "provider.quantizations: only [] is possible",
		`{"preferred_min_throughput":50}`:        "provider.preferred_min_throughput: only {} is possible",
		`{"slug":"x"}`:                           "provider.slug: the gateway has no such preference",
	} {
		_, err := airouting.ParsePreferences([]byte(text), inference.Chat, rate)
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", text, err)
		case want == "":
		case err == nil || !strings.HasPrefix(err.Error(), want) ||
			pipeline.FieldOf(err) != want[:strings.Index(want, ": ")]:
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	price := `{"max_price":{"prompt":1,"completion":2.5}}`
	for _, tt := range []struct {
		op   inference.Operation
		rate airouting.Rate
		want *big.Rat
		err  string
	}{
		{inference.Chat, rate, big.NewRat(25e8, 1), ""},
		{inference.Embedding, rate, big.NewRat(1e9, 1), ""},
		{inference.Rerank, rate, big.NewRat(1e9, 1), ""},
		{inference.Chat, none, nil, "provider.max_price.completion: this gateway knows no rate of the dollar"},
		{inference.Embedding, none, nil, "provider.max_price.prompt: this gateway knows no rate of the dollar"},
		{inference.Chat, func() (*big.Rat, error) { return nil, errLater }, nil, "later"},
	} {
		p, err := airouting.ParsePreferences([]byte(price), tt.op, tt.rate)
		switch {
		case tt.err != "" && (err == nil || err.Error() != tt.err):
			t.Errorf("%s: %v, want %s", tt.op, err, tt.err)
		case tt.err == "" && (err != nil || p.MaxPrice.Cmp(tt.want) != 0):
			t.Errorf("%s: %v, want %v (%v)", tt.op, p, tt.want, err)
		}
	}
}

func FuzzParsePreferences(f *testing.F) {
	f.Add([]byte(`{"order":["a.example"],"max_price":{"completion":"1e-9"},"sort":{"by":"price"}}`))
	f.Add([]byte(`{"only":["0x0000000000000000000000000000000000000011"],"allow_fallbacks":false}`))
	f.Add([]byte(`{"max_price":{"completion":1e-999999999}}`))
	rate := func() (*big.Rat, error) { return big.NewRat(1e15, 3), nil }
	f.Fuzz(func(t *testing.T, raw []byte) {
		p, err := airouting.ParsePreferences(raw, inference.Chat, rate)
		if err != nil && !strings.HasPrefix(pipeline.FieldOf(err), airouting.PreferencesField) {
			t.Errorf("%q: %v", raw, err)
		}
		if p != nil && p.MaxPrice != nil && (p.MaxPrice.Sign() < 0 || len(p.MaxPrice.Num().Bits()) > 16) {
			t.Errorf("%q: %v", raw, p.MaxPrice)
		}
		table := tableOf(fourKinds()...)
		table.Explain(t0, airouting.Query{Preferences: p})
	})
}
