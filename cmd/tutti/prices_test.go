package main

import (
	"errors"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/admin"
)

// What cannot be paid takes 0 and says so before anybody relies on another price.
func TestNoPrice(t *testing.T) {
	t.Parallel()
	var table admin.Prices = noPrice{}
	checker, ok := table.(admin.PriceChecker)
	if !ok {
		t.Fatal("a dry run cannot ask it")
	}
	for text, want := range map[string]fault.Code{"0": "", "0USD": "", "1": fault.FeatureMissing, "0.1USD": fault.FeatureMissing} {
		price, err := core.ParsePrice(text)
		if err != nil {
			t.Fatal(err)
		}
		unit := core.UnitPrice{Price: price, PixelsPerUnit: 1}
		for _, err := range []error{checker.CheckPrice(core.Address{}, unit), table.SetPrice(core.Address{}, unit)} {
			if (err == nil) != (want == "") || want != "" && !errors.Is(err, want) {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
}
