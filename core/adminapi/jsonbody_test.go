package adminapi_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
)

func TestDecode(t *testing.T) {
	t.Parallel()
	const to = `"to":"0x00000000000000000000000000000000000000aa"`
	for _, tt := range []struct{ in, want string }{
		{`{"amount":"5",` + to + `}`, ""},
		{` {"amount":"1e18",` + to + `} `, ""},
		{`{"amount":"5"}`, "field to is missing"},
		{`{"amount":null,` + to + `}`, "field amount is missing"},
		{``, "field amount is missing"},
		{`{"amount":5,` + to + `}`, "field amount: a JSON number is not what belongs here"},
		{`{"amount":"-5",` + to + `}`, "field amount: not a whole, non-negative number of the token's smallest unit"},
		{`{"amount":"0.5",` + to + `}`, "field amount: not a whole, non-negative number of the token's smallest unit"},
		{`{"amount":"5","to":"0x1"}`, "field to: not an address of the form 0x and 40 hexadecimal digits"},
		{`{"amount":"5",` + to + `,"gas":1}`, `field "gas" is unknown`},
		{`{"amount":"5",` + to + `,"Amount":"6"}`, `field "Amount" is unknown`},
		{`{"amount":"5","amount":"6",` + to + `}`, `field "amount" is given twice`},
		{`{"amount":"5",` + to + `}{}`, "there is more than one JSON value in the body"},
		{`{"amount":"5",` + to + `} x`, "there is more than one JSON value in the body"},
		{`{"amount":"5",` + to, "the body is not a JSON object"},
		{`[]`, "the body is not a JSON object"},
		{`null`, "the body is not a JSON object"},
		{`amount=5`, "the body is not a JSON object"},
		{`{"` + strings.Repeat("n", 70) + `":1,"amount":"5",` + to + `}`,
			`field "` + strings.Repeat("n", 64) + `…" is unknown`},
	} {
		var got adminapi.TokensTo
		err := adminapi.DecodeBody([]byte(tt.in), &got)
		if (err == nil) != (tt.want == "") || err != nil && err.Error() != tt.want {
			t.Errorf("%s: %v, want %q", tt.in, err, tt.want)
		}
		if err == nil && (got.Amount.IsZero() || got.To != core.Address{19: 0xaa}) {
			t.Errorf("%s: read %+v", tt.in, got)
		}
	}
}

func TestOptionalAndEmbedded(t *testing.T) {
	t.Parallel()
	var got adminapi.Config
	body := []byte(`{"feeCut":950000,"pricePerUnit":"0.5","pixelsPerUnit":1000}`)
	if err := adminapi.DecodeBody(body, &got); err != nil {
		t.Fatal(err)
	}
	if got.RewardCut != nil || *got.FeeCut != 950_000 || *got.PricePerUnit != "0.5" || *got.PixelsPerUnit != 1000 ||
		got.Currency != nil {
		t.Errorf("%+v", got)
	}
	for in, want := range map[string]string{
		`{"feeCut":1.5}`:        "field feeCut: the number is out of range or not whole",
		`{"feeCut":-1}`:         "field feeCut: the number is out of range or not whole",
		`{"feeCut":5000000000}`: "field feeCut: the number is out of range or not whole",
		`{"serviceURI":{}}`:     "field serviceURI: a JSON object is not what belongs here",
	} {
		if err := adminapi.DecodeBody([]byte(in), new(adminapi.Config)); err == nil || err.Error() != want {
			t.Errorf("%s: %v", in, err)
		}
	}
	if err := adminapi.DecodeBody(nil, new(adminapi.None)); err != nil {
		t.Error(err)
	}
}

// What is read is what json would read of it, and nothing makes it panic.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"amount":"5","to":"0x00000000000000000000000000000000000000aa"}`))
	f.Add([]byte(`{"amount":{"a":[1,2]},"to":null,"x":1}`))
	f.Add([]byte(`{"amount":"5"`))
	f.Add([]byte("\xff{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var got, want adminapi.TokensTo
		if adminapi.DecodeBody(data, &got) != nil {
			return
		}
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatalf("%q was read, and json says %v", data, err)
		}
		if got.To != want.To || got.Amount.Cmp(want.Amount) != 0 {
			t.Fatalf("%q: %+v, json reads %+v", data, got, want)
		}
	})
}
