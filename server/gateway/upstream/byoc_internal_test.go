package upstream

import (
	"encoding/json"
	"math/big"
	"os"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
)

// FuzzToken reads the terms of orchestrators: whatever they say, they are terms with sane numbers, or a fault.
func FuzzToken(f *testing.F) {
	f.Add([]byte(`{"price":{"pixelsPerUnit":1},"available_capacity":1,"balance":12.5}`))
	f.Add([]byte(`{"price":{"pricePerUnit":-1,"pixelsPerUnit":0},"balance":"1e999999999"}`))
	f.Add([]byte(`{"ticket_params":{"recipient":"AA=="},"price":null,"balance":{}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c := New(Options{})
		defer c.Close()
		terms, err := c.readToken("https://o.example:8935", "demo", data)
		if err != nil {
			if _, known := fault.Lookup(fault.CodeOf(err)); !known {
				t.Error(err)
			}
			return
		}
		if terms.Price != nil && terms.Price.Sign() <= 0 || terms.balance == nil || terms.Paid() {
			t.Errorf("%+v", terms)
		}
	})
}

// A balance is a plain number of wei, as a number or a text.
func TestBalances(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]*big.Rat{
		"12": big.NewRat(12, 1), `"12"`: big.NewRat(12, 1), "-3": big.NewRat(-3, 1), "0.5": big.NewRat(1, 2),
		"": new(big.Rat), "null": new(big.Rat), "1e9": new(big.Rat), "1/0": new(big.Rat),
		`"x"`: new(big.Rat), "{}": new(big.Rat),
	} {
		if got := readBalance([]byte(text)); got.Cmp(want) != 0 {
			t.Errorf("%q: %s", text, got)
		}
	}
}

// The recorded form of embedded messages is read.
func TestTokenVector(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../../test/vectors/byoc_token.json")
	if err != nil {
		t.Fatal(err)
	}
	c := New(Options{})
	defer c.Close()
	var file struct{ Example json.RawMessage }
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	terms, err := c.readToken("https://o.example:8935", "demo", file.Example)
	if err != nil || terms.Price == nil || terms.Price.Cmp(big.NewRat(3, 1)) != 0 {
		t.Errorf("%+v, %v", terms, err)
	}
}
