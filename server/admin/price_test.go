package admin_test

import (
	"context"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/admin"
)

// freeTable takes no price but 0.
type freeTable struct{ *priceTable }

func (f freeTable) CheckPrice(_ context.Context, _ core.Address, price core.UnitPrice) error {
	if price.PerPixel().Sign() == 0 {
		return nil
	}
	return fault.New(fault.FeatureMissing, "set the price", "only 0")
}

func (f freeTable) SetPrice(ctx context.Context, address core.Address, price core.UnitPrice) error {
	if err := f.CheckPrice(ctx, address, price); err != nil {
		return err
	}
	return f.priceTable.SetPrice(ctx, address, price)
}

// A price that is not taken is refused before anything else, also by a dry run.
func TestPriceIsRefusedFirst(t *testing.T) {
	t.Parallel()
	st := newStation(t, func(o *admin.Options) { o.Market.Prices = freeTable{o.Market.Prices.(*priceTable)} })
	for _, path := range []string{adminapi.PathActivate, adminapi.PathConfig} {
		for _, query := range []string{"?dryRun=true", "?step=next", ""} {
			rec := st.post(path+query, `{"serviceURI":"https://o.example:8935","pricePerUnit":"5"}`)
			if e := result[adminapi.ErrorBody](t, rec).Error; e.Code != string(fault.FeatureMissing) || e.Message != "only 0" {
				t.Errorf("%s%s: %d %s", path, query, rec.Code, rec.Body)
			}
		}
		for _, body := range []string{`{}`, `{"pricePerUnit":"0"}`} {
			if rec := st.post(path+"?dryRun=true", body); rec.Code != 200 {
				t.Errorf("%s %s: %d %s", path, body, rec.Code, rec.Body)
			}
		}
	}
	same(t, st.chain.Sent())
	if len(st.table.prices) != 0 {
		t.Errorf("prices %v", st.table.prices)
	}
}

// Only a price that differs is told as changed.
func TestPriceThatStays(t *testing.T) {
	t.Parallel()
	st := orchestrating(t, nil)
	for _, tt := range []struct {
		body    string
		changed bool
	}{
		{`{"pricePerUnit":"6"}`, true},
		{`{"pricePerUnit":"6"}`, false},
		{`{"pricePerUnit":"12","pixelsPerUnit":2}`, false},
		{`{"pricePerUnit":"12","pixelsPerUnit":3}`, true},
		{`{"pricePerUnit":"0"}`, true},
		{`{"pricePerUnit":"0"}`, false},
		{`{"pricePerUnit":"0","currency":"USD","pixelsPerUnit":7}`, false},
		{`{"pricePerUnit":"0.5","currency":"USD"}`, true},
		{`{}`, false},
	} {
		rec := st.post(adminapi.PathConfig, tt.body)
		got := result[adminapi.PlanResult](t, rec)
		if changed := len(got.Local) == 1 && got.Local[0] == "set-price"; rec.Code != 200 || changed != tt.changed {
			t.Errorf("%s: %d %v", tt.body, rec.Code, got.Local)
		}
	}
}
