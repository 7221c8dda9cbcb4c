package pm_test

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/pm"
)

func sameQuote(a, b pm.Quote) bool {
	return a.Sender == b.Sender && a.Price == b.Price && slices.Equal(a.Models, b.Models)
}

func TestQuoteRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		q := pm.Quote{Price: pm.Price{PerUnit: rapid.Int64Min(0).Draw(t, "price"),
			PixelsPerUnit: rapid.Int64Min(0).Draw(t, "units")}}
		copy(q.Sender[:], rapid.SliceOfN(rapid.Byte(), 20, 20).Draw(t, "sender"))
		for range rapid.IntRange(0, pm.MaxQuoteModels).Draw(t, "models") {
			q.Models = append(q.Models, inference.Model{
				Capability: capability.ID(rapid.IntRange(0, math.MaxInt32).Draw(t, "capability")),
				ID:         string(rapid.SliceOfN(rapid.Byte(), 0, pm.MaxModelID).Draw(t, "name")),
			})
		}
		b, err := q.AppendBinary([]byte("before"))
		if err != nil {
			t.Fatal(err)
		}
		rest, ok := bytes.CutPrefix(b, []byte("before"))
		got, err := pm.ParseQuote(rest)
		if !ok || err != nil || !sameQuote(got, q) {
			t.Fatalf("%+v, %v, want %+v", got, err, q)
		}
		for _, bad := range [][]byte{rest[:len(rest)-1], append(slices.Clone(rest), 0)} {
			if got, err := pm.ParseQuote(bad); err == nil {
				t.Fatalf("%x read as %+v", bad, got)
			}
		}
	})
}

func TestQuoteBounds(t *testing.T) {
	t.Parallel()
	for name, q := range map[string]pm.Quote{
		"negative price":      {Price: pm.Price{PerUnit: -1}},
		"negative units":      {Price: pm.Price{PixelsPerUnit: -1}},
		"too many models":     {Models: make([]inference.Model, pm.MaxQuoteModels+1)},
		"long name":           {Models: []inference.Model{{ID: strings.Repeat("x", pm.MaxModelID+1)}}},
		"negative capability": {Models: []inference.Model{{Capability: -1}}},
		"huge capability":     {Models: []inference.Model{{Capability: math.MaxInt32 + 1}}},
	} {
		if b, err := q.AppendBinary(nil); err == nil {
			t.Errorf("%s: %x", name, b)
		}
	}
}

// FuzzQuote: whatever the bytes, reading them gives an error or the one quote that
// has these bytes.
func FuzzQuote(f *testing.F) {
	for _, q := range []pm.Quote{
		{},
		{Sender: core.Address{1}, Price: pm.Price{PerUnit: 6144, PixelsPerUnit: 5}},
		{Models: []inference.Model{{Capability: 33, ID: "meta-llama/Meta-Llama-3.1-8B-Instruct"}, {}}},
	} {
		b, err := q.AppendBinary(nil)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	// A number that is longer than it need be.
	f.Add(append([]byte{1}, append(make([]byte, 20), 0x80, 0, 1, 0)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		q, err := pm.ParseQuote(b)
		if err != nil {
			return
		}
		again, err := q.AppendBinary(nil)
		if err != nil || !bytes.Equal(again, b) {
			t.Fatalf("%x became %x, %v", b, again, err)
		}
		if len(q.Models) > pm.MaxQuoteModels || q.Price.PerUnit < 0 || q.Price.PixelsPerUnit < 0 {
			t.Fatalf("%+v", q)
		}
		if q.Covers(nil) != (len(q.Models) == 0) {
			t.Fatal("models and transcoding at once")
		}
	})
}
