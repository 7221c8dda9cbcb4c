package pricing_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pricing"
)

const (
	aliceText = `"0xa100000000000000000000000000000000000000"`
	bobText   = `"0xB000000000000000000000000000000000000000"`
)

func TestParseGateways(t *testing.T) {
	t.Parallel()
	for _, list := range []string{"gateways", "broadcasters", "Gateways"} {
		got, mistakes := pricing.ParseGateways([]byte(`{"`+list+`":[
			{"ethaddress":`+aliceText+`,"priceperunit":1200,"currency":"","pixelsperunit":1},
			{"EthAddress":`+bobText+`,"pricePerUnit":0.18,"currency":"usd","pixelsPerUnit":1e6},
			{"ethaddress":"0xc000000000000000000000000000000000000000","priceperunit":"0.5e-2USD","pixelsperunit":"1000",`+
			`"currency":null}]}`), pricing.Adjusted, "USD")
		want := map[core.Address]string{
			alice:  "1200 wei per 1",
			bob:    "0.18USD per 1000000",
			{0xc0}: "0.005USD per 1000",
		}
		if len(mistakes) != 0 || len(got) != len(want) {
			t.Fatalf("%s: %v %v", list, got, mistakes)
		}
		for gateway, price := range want {
			if got[gateway].String() != price {
				t.Errorf("%s: %s instead of %s", gateway, got[gateway], price)
			}
		}
	}
	for _, nothing := range []string{"{}", `{"gateways":[]}`} {
		if got, mistakes := pricing.ParseGateways([]byte(nothing), pricing.Adjusted,
			"USD"); len(got)+len(mistakes) != 0 {
			t.Errorf("%s: %v %v", nothing, got, mistakes)
		}
	}
}

// Every mistake is named at its place, and what has none counts all the same.
func TestMistakesOfGateways(t *testing.T) {
	t.Parallel()
	entry := func(fields string) string { return `{"gateways":[` + "\n" + `{` + fields + `}]}` }
	priced := `,"priceperunit":1,"pixelsperunit":1`
	for doc, want := range map[string]string{
		"":                  "line 1: it is not JSON from here on: unexpected end of JSON input; correct it",
		"{\n\"gateways\" 5": "line 2: it is not JSON from here on: invalid character '5' after object key; correct it",
		`[]`:                `line 1: it is not an object; write {"gateways":[{"ethaddress":…, …}]}`,
		`{"gateway":[]}`:    "gateway (line 1): there is no such name; write gateways",
		`{"prices":[]}`:     "prices (line 1): there is no such name; delete it; the names are gateways, broadcasters",
		`{"gateways":{}}`:   "gateways (line 1): it is not a list; write [ ]",
		`{"gateways":[1]}`:  `gateways[0] (line 1): it is not an object; write {"ethaddress":…, …}`,
		entry(`"x":1,"ethaddress":` + aliceText + priced): "gateways[0].x (line 2): there is " +
			"no such name; delete it; the names are ethaddress, priceperunit, currency, pixelsperunit",
		entry(`"ethaddress":` + aliceText + priced +
			`,"currency":"wei","CURRENCY":""`): "gateways[0].currency (line 2): it is given twice; delete one of them",
		entry(`"priceperunit":1,"pixelsperunit":1`): "gateways[0].ethaddress (line 2): it " +
			"is missing; write the gateway's account, 0x and 40 hexadecimal digits",
		entry(`"ethaddress":"default"` + priced): "gateways[0].ethaddress (line 2): " +
			"default is not an address of the form 0x and 40 hexadecimal digits; write the gateway's account, 0x and 40 " +
			"hexadecimal digits",
		entry(`"ethaddress":"0x0000000000000000000000000000000000000000"` + priced): "gateways[0].ethaddress (line 2): no " +
			"gateway has the address 0; write the gateway's account, 0x and 40 hexadecimal digits",
		entry(`"ethaddress":` + aliceText + `,"pixelsperunit":1`): `gateways[0].priceperunit (line 2): it is missing; ` +
			howPriced,
		entry(`"ethaddress":` + aliceText +
			`,"priceperunit":0.5,"pixelsperunit":1`): `gateways[0].priceperunit (line 2): 0.5: not a whole number of wei; an ` +
			`amount of a currency needs its name, such as 0.50USD; ` + howPriced,
		entry(`"ethaddress":` + aliceText +
			`,"priceperunit":-1,"pixelsperunit":1`): `gateways[0].priceperunit (line 2): -1 is not a price; ` +
			howPriced,
		entry(`"ethaddress":` + aliceText +
			`,"priceperunit":[1],"pixelsperunit":1`): `gateways[0].priceperunit (line 2): [1] is not a price; ` +
			howPriced,
		entry(`"ethaddress":` + aliceText +
			`,"priceperunit":2e15,` +
			`"pixelsperunit":1`): `gateways[0].priceperunit (line 2): 2000000000000000 wei per 1 is more than ` +
			`1000000000000000 wei for a single unit; ` + howPriced,
		entry(`"ethaddress":` + aliceText +
			`,"priceperunit":"1USD",` +
			`"currency":"usd"` + pixelOne): `gateways[0].priceperunit (line 2): 1USD names a currency, and currency names one ` +
			`too; keep one of the two`,
		entry(`"ethaddress":` + aliceText +
			`,"priceperunit":1,"currency":"U$D"` + pixelOne): `gateways[0].currency (line 2): U$D is no currency; write "wei",` +
			` "ETH" or "USD"`,
		entry(`"ethaddress":` + aliceText +
			`,"priceperunit":1`): "gateways[0].pixelsperunit (line 2): it is missing; write 1, or 1000000 for a price per " +
			"million",
		entry(`"ethaddress":` + aliceText +
			`,"priceperunit":1,"pixelsperunit":0`): "gateways[0].pixelsperunit (line 2): 0 is not a whole number from 1; " +
			"write 1, or 1000000 for a price per million",
	} {
		got, mistakes := pricing.ParseGateways([]byte(doc), pricing.Adjusted, "USD")
		if len(mistakes) != 1 || mistakes[0].Error() != want {
			t.Errorf("%s\ngot %v\nwant %s", doc, mistakes, want)
		}
		if valid := strings.Contains(doc, `"x":`) || strings.Contains(doc, "CURRENCY"); valid != (len(got) == 1) {
			t.Errorf("%s gives %v", doc, got)
		}
	}
	got, mistakes := pricing.ParseGateways(
		[]byte(`{"gateways":[{"ethaddress":`+bobText+`,"pixelsperunit":"x"},{"ethaddress":`+aliceText+priced+`},`+
			"\n"+`{"ethaddress":`+aliceText+priced+`}]}`),
		pricing.Adjusted,
		"USD",
	)
	if len(got) != 1 || len(mistakes) != 3 ||
		mistakes[2].Error() != "gateways[2].ethaddress (line 2): there is a price for "+alice.String()+" already; keep "+
			"one of them" {
		t.Errorf("%v %v", got, mistakes)
	}
}

const (
	howPriced = `write whole wei such as 1200, or an amount with its currency: 0.18 and "currency":"USD"`
	pixelOne  = `,"pixelsperunit":1`
)

func TestDocumentsAreBounded(t *testing.T) {
	t.Parallel()
	if _, m := pricing.ParseGateways(make([]byte, pricing.MaxDocument+1), pricing.Adjusted, "USD"); len(m) != 1 ||
		!strings.Contains(m[0].Text, "longer") {
		t.Errorf("%v", m)
	}
	var b strings.Builder
	for i := range pricing.MaxEntries + 2 {
		fmt.Fprintf(&b, `,{"ethaddress":"0x%040x","priceperunit":1,"pixelsperunit":1}`, i+1)
	}
	got, m := pricing.ParseGateways([]byte(`{"gateways":[`+b.String()[1:]+`]}`), pricing.Adjusted, "USD")
	if len(got) != pricing.MaxEntries || len(m) != 1 || m[0].At != "gateways[10000]" {
		t.Errorf("%d entries, %v", len(got), m)
	}
	if _, m := pricing.ParseGateways([]byte(`{"gateways":[`+strings.Repeat("1,", 1000)+`1]}`), pricing.Adjusted,
		"USD"); len(m) != 50 {
		t.Errorf("%d mistakes are reported", len(m))
	}
}

func TestParseCapabilities(t *testing.T) {
	t.Parallel()
	got, mistakes := pricing.ParseCapabilities([]byte(`{"capabilities_prices":[
		{"pipeline":"llm","model_id":"other","price_per_unit":5,"pixels_per_unit":1},
		{"pipeline":"llm","price_per_unit":0.1,"pixels_per_unit":1000000,"currency":"USD"},
		{"pipeline":"text-to-image","model_id":"default","price_per_unit":7,"pixels_per_unit":1},
		{"pipeline":"upscale","model_id":"default"},
		{"pipeline":"upscale","model_id":"x","price_per_unit":0,"pixels_per_unit":1}]}`), "USD")
	if len(mistakes) != 0 {
		t.Fatal(mistakes)
	}
	if len(got.Pipelines) != 2 || got.Pipelines[capability.LLM].String() != "0.1USD per 1000000" ||
		got.Pipelines[capability.TextToImage].String() != "7 wei per 1" {
		t.Errorf("pipelines %v", got.Pipelines)
	}
	models := slices.SortedFunc(maps.Keys(got.Models), func(a, b inference.Model) int {
		return strings.Compare(a.ID,
			b.ID)
	})
	if len(models) != 2 || models[0] != other || got.Models[other].String() != "5 wei per 1" {
		t.Errorf("models %v", got.Models)
	}
	for entry, want := range map[string]string{
		`"price_per_unit":1,"pixels_per_unit":1`:                               "pipeline (line 1): it is missing",
		`"pipeline":"h.264","price_per_unit":1,"pixels_per_unit":1`:            "pipeline (line 1): h.264 is no pipeline",
		`"pipeline":"telepathy"`:                                               "pipeline (line 1): telepathy is no pipeline",
		`"pipeline":5`:                                                         "pipeline (line 1): 5 is no pipeline",
		`"pipeline":"llm","model_id":5,"price_per_unit":1,"pixels_per_unit":1`: "model_id (line 1): 5 is no model's name",
		`"pipeline":"llm","price_per_unit":1`:                                  "pixels_per_unit (line 1): it is missing",
		`"pipeline":"llm","price_per_unit":1,"pixels_per_unit":1},{"pipeline":"llm","model_id":"default",` +
			`"price_per_unit":1,"pixels_per_unit":1`: "pipeline (line 1): there is a limit for llm  already",
	} {
		_, mistakes := pricing.ParseCapabilities([]byte(`{"capabilities_prices":[{`+entry+`}]}`), "USD")
		if len(mistakes) != 1 || !strings.Contains(mistakes[0].Error(), want) {
			t.Errorf("%s: %v, want %s", entry, mistakes, want)
		}
	}
}

func TestParseModel(t *testing.T) {
	t.Parallel()
	for in, want := range map[[2]string]inference.Model{
		{"llm", "other"}: other, {"llm", "default"}: {Capability: capability.LLM}, {"text-to-image", "sd"}: image,
		{"llm", ""}: {Capability: capability.LLM}, {"byoc", "demo"}: {Capability: capability.BYOC, ID: "demo"},
	} {
		if got, ok := pricing.ParseModel(in[0], in[1]); !ok || got != want {
			t.Errorf("%v: %v %v", in, got, ok)
		}
	}
	for _, no := range []string{"", "mpegts", "MPEGTS", "Byoc", "x"} {
		if m, ok := pricing.ParseModel(no, "m"); ok {
			t.Errorf("%q is %v", no, m)
		}
	}
}

func FuzzParseGateways(f *testing.F) {
	for _, s := range []string{"", "{}", `{"gateways":[{"ethaddress":` + aliceText +
		`,"priceperunit":1,"pixelsperunit":1}]}`,
		`{"broadcasters":[{"ethaddress":` + bobText + `,"priceperunit":"0.5e-2USD","pixelsperunit":1e6,"currency":"x"}]}`,
		`{"gateways":[[[]]]}`, "{\"\\u2028\":\n\"\xff\"}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		got, mistakes := pricing.ParseGateways(doc, pricing.Adjusted, "USD")
		checkMistakes(t, mistakes)
		for gateway, price := range got {
			if gateway.IsZero() {
				t.Fatal("a price without a gateway")
			}
			checkPrice(t, price)
		}
	})
}

func FuzzParseCapabilities(f *testing.F) {
	for _, s := range []string{`{"capabilities_prices":[{"pipeline":"llm","model_id":"m","price_per_unit":1,` +
		`"pixels_per_unit":1,"currency":"ETH"}]}`, `{"capabilities_prices":[{"pipeline":"llm"}]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		got, mistakes := pricing.ParseCapabilities(doc, "USD")
		checkMistakes(t, mistakes)
		for id, price := range got.Pipelines {
			checkPrice(t, price)
			if _, ok := pricing.ParseModel(id.Pipeline(), ""); !ok {
				t.Fatalf("pipeline %d", id)
			}
		}
		for m, price := range got.Models {
			checkPrice(t, price)
			if m.ID == "" || m.ID == pricing.DefaultModel {
				t.Fatalf("model %v", m)
			}
		}
	})
}

// FuzzCurrency: whatever stands for an amount and a currency is either refused or
// one exact price.
func FuzzCurrency(f *testing.F) {
	for _, s := range [][2]string{{"1", "USD"}, {"0.5", ""}, {"1e3", "wei"}, {"1 eth", ""}, {"5wei", "usd"}, {"1e", "1"}} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, amount, currency string) {
		got, mistakes := pricing.ParseGateways(fmt.Appendf(nil,
			`{"gateways":[{"ethaddress":%s,"priceperunit":%q,"currency":%q,"pixelsperunit":1}]}`, aliceText, amount,
			currency), pricing.Adjusted, "USD")
		checkMistakes(t, mistakes)
		if len(got) > 0 == (len(mistakes) > 0) {
			t.Fatalf("%v and %v", got, mistakes)
		}
		for _, price := range got {
			checkPrice(t, price)
		}
	})
}

func checkMistakes(t *testing.T, mistakes []pricing.Mistake) {
	for _, m := range mistakes {
		text := m.Error()
		if m.Line < 1 || m.Text == "" || m.Remedy == "" || strings.ContainsAny(text, "\n\r\x00\u2028") ||
			!utf8.ValidString(text) || len(text) > 1000 {
			t.Fatalf("%+v", m)
		}
	}
}

func checkPrice(t *testing.T, u core.UnitPrice) {
	if !u.IsSet() || u.PixelsPerUnit < 1 || u.PerPixel().Sign() < 0 || pricing.Check(u, pricing.Paid, "USD") != nil {
		t.Fatalf("%v", u)
	}
	again, err := core.ParsePrice(u.Price.String())
	if err != nil || again.Amount().Cmp(u.Price.Amount()) != 0 {
		t.Fatalf("%v is printed as %s: %v", u, u.Price, err)
	}
}
