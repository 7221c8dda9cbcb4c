package admin_test

import (
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
)

// bounded sets the largest price of gas; the chain's base fee is 10,000,000 wei.
func (st *station) bounded(most uint64) {
	highest := core.NewWei(most)
	_ = st.gas.SetGasBounds(nil, &highest)
}

// A client that waits for an answer gets the bound at once, with the numbers.
func TestPriceBoundRefusesAtOnce(t *testing.T) {
	t.Parallel()
	st := newStation(t, old)
	st.bounded(9_999_999)
	const numbers = "the base fee is 10000000 wei, -maxGasPrice is 9999999 wei"
	for _, query := range []string{"", "?dryRun=true", "?wait=submitted"} {
		for _, verb := range []string{adminapi.VerbClaimEarnings, adminapi.VerbBond} {
			body := map[string]string{adminapi.VerbClaimEarnings: "",
				adminapi.VerbBond: `{"amount":"1","to":"` + low + `"}`}[verb]
			rec := st.post(adminapi.ActionPath(verb)+query, body)
			if e := result[adminapi.ErrorBody](t, rec).Error; e.Code != string(fault.GasPriceAboveMax) ||
				!strings.Contains(e.Message, numbers) || !e.Retryable {
				t.Errorf("%s%s: %d %s", verb, query, rec.Code, rec.Body)
			}
		}
	}
	for _, query := range []string{"", "?step=next"} {
		rec := st.post(adminapi.PathActivate+query, wish)
		if got := result[adminapi.PlanResult](t, rec); got.Error == nil || got.Error.Code != string(fault.GasPriceAboveMax) ||
			!strings.Contains(got.Error.Message, numbers) {
			t.Errorf("activate%s: %d %s", query, rec.Code, rec.Body)
		}
	}
	dry := result[adminapi.PlanResult](t, st.post(adminapi.PathActivate+"?dryRun=true", wish))
	if first := dry.Plan.Steps[0]; first.Error == nil || first.Error.Code != string(fault.GasPriceAboveMax) ||
		dry.Plan.TotalFee.IsZero() {
		t.Errorf("%+v", dry.Plan)
	}
	if got := st.form("/claimEarnings", ""); errorCode(got.Body.String()) != fault.GasPriceAboveMax {
		t.Errorf("the old way: %d %s", got.Code, got.Body)
	}
	same(t, st.chain.Sent())
}

func TestPriceWithinTheBound(t *testing.T) {
	t.Parallel()
	for _, most := range []uint64{0, 10_000_000} {
		st := newStation(t, nil)
		st.bounded(most)
		if got := st.post(adminapi.ActionPath(adminapi.VerbClaimEarnings), ""); got.Code != 200 {
			t.Errorf("bound %d: %d %s", most, got.Code, got.Body)
		}
	}
	// A base fee of long ago refuses nothing, and a contract's reason goes first.
	st := newStation(t, nil)
	st.bounded(1)
	rec := st.post(adminapi.ActionPath(adminapi.VerbUnbond)+"?dryRun=true", `{"amount":"1"}`)
	if e := result[adminapi.ErrorBody](t, rec).Error; e.Code != string(fault.StakeMissing) {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
	st.chain.SetStale(true)
	if got := st.post(adminapi.ActionPath(adminapi.VerbClaimEarnings), ""); got.Code != 200 {
		t.Errorf("stale: %d %s", got.Code, got.Body)
	}
}
