package admin_test

import (
	"context"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/server/admin"
)

// quotes has one gateway's quote.
type quotes struct{}

func (quotes) Quotes(context.Context) []adminapi.Quote {
	price := "6144/5"
	return []adminapi.Quote{{Gateway: core.Address{19: 9}, WeiPerUnit: &price, Overhead: 0.024}}
}

func (quotes) TicketTerms() adminapi.TicketTerms {
	return adminapi.TicketTerms{TicketEV: core.NewWei(8), MaxFaceValue: core.NewWei(9)}
}

// Prices and limits of version 1, to the byte.
func TestPricesOfVersion1(t *testing.T) {
	t.Parallel()
	table := &capTable{}
	st := newStation(t, func(o *admin.Options) {
		o.Market.Caps, o.Market.Quotes = table, quotes{}
		o.Market.TicketLimits = &adminapi.TicketLimits{MaxTicketEV: core.NewWei(1), MaxTotalEV: core.NewWei(2),
			DepositMultiplier: 3}
	})
	for _, tt := range []struct {
		path, body string
		status     int
		want       string
	}{
		{adminapi.PathPrices, `{"pricePerUnit":"7","pixelsPerUnit":2}`, 200,
			`{"prices":[{"gateway":null,"pipeline":"","model":"","pricePerUnit":"7","currency":"","pixelsPerUnit":2,` +
				`"weiPerPixel":"7/2"}],"autoAdjust":true,"quotes":[{"gateway":"0x0000000000000000000000000000000000000009",` +
				`"pipeline":"","model":"","weiPerUnit":"6144/5","overhead":0.024,"problem":""}],` +
				`"tickets":{"ticketEV":"8","maxFaceValue":"9"}}`},
		{adminapi.PathPrices, `{"pricePerUnit":"0.5","currency":"usd"}`, 200,
			`{"prices":[{"gateway":null,"pipeline":"","model":"","pricePerUnit":"0.5","currency":"usd","pixelsPerUnit":1,` +
				`"weiPerPixel":null}],"autoAdjust":true,"quotes":[{"gateway":"0x0000000000000000000000000000000000000009",` +
				`"pipeline":"","model":"","weiPerUnit":"6144/5","overhead":0.024,"problem":""}],` +
				`"tickets":{"ticketEV":"8","maxFaceValue":"9"}}`},
		{adminapi.PathPrices, `{}`, 400, "field pricePerUnit: is missing"},
		{adminapi.PathPrices, `{"pricePerUnit":"0.5"}`, 400, "field pricePerUnit: not a whole number of wei"},
		{adminapi.PathPrices, `{"pricePerUnit":"5","gateway":"x"}`, 400, "AdminBadBody"},
		{adminapi.PathPriceLimits, `{"pricePerUnit":"5"}`, 200,
			`{"limits":[{"gateway":null,"pipeline":"","model":"","pricePerUnit":"0","currency":"","pixelsPerUnit":1,` +
				`"weiPerPixel":"0"},` +
				`{"gateway":null,"pipeline":"llm","model":"m","pricePerUnit":"0.5","currency":"USD","pixelsPerUnit":1000000,` +
				`"weiPerPixel":null}],"tickets":{"maxTicketEV":"1","maxTotalEV":"2","depositMultiplier":3}}`},
		{adminapi.PathPriceLimits, `{"pricePerUnit":"5","pipeline":"llm","model":"default"}`, 200, `{"limits":[`},
		{adminapi.PathPriceLimits, `{"pricePerUnit":"5","currency":"EUR"}`, 400, "PriceCurrencyUnknown"},
		{adminapi.PathPriceLimits, `{"pricePerUnit":"5","pipeline":"x"}`, 400, "field pipeline: there is no such pipeline"},
		{adminapi.PathPriceLimits, `{"pricePerUnit":"5","model":"x"}`, 400, "field model: belongs to pipeline"},
	} {
		if got := st.post(tt.path, tt.body); got.Code != tt.status || !strings.Contains(got.Body.String(), tt.want) {
			t.Errorf("%s %s: %d %s", tt.path, tt.body, got.Code, got.Body)
		}
	}
	if got := strings.Join(table.said, "; "); got != `everything at most 5 wei per 1; 33 "" at most 5 wei per 1` {
		t.Errorf("said %s", got)
	}
	bare := newStation(t, func(o *admin.Options) { o.Market = admin.Market{} })
	for _, path := range []string{adminapi.PathPrices, adminapi.PathPriceLimits} {
		for _, code := range []int{bare.get(path).Code, bare.post(path, `{"pricePerUnit":"5"}`).Code} {
			if code != 404 {
				t.Errorf("%s without the part: %d", path, code)
			}
		}
	}
}
