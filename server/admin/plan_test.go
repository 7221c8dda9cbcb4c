package admin_test

import (
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/server/admin"
)

const wish = `{"rewardCut":100000,"feeCut":950000,"serviceURI":"https://o.example:8935","stake":"` + oneToken +
	`","pricePerUnit":"0.5","currency":"USD","pixelsPerUnit":1000000}`

func names(steps []adminapi.Step) (out []string) {
	for _, s := range steps {
		mark := ""
		if s.Done {
			mark = " done"
		}
		out = append(out, s.Name+mark)
	}
	return out
}

func TestActivationIsAPlan(t *testing.T) {
	t.Parallel()
	st := newStation(t, nil)
	dry := result[adminapi.PlanResult](t, st.post(adminapi.PathActivate+"?dryRun=true", wish))
	got := names(dry.Plan.Steps)
	if len(got) != 4 || got[0] != "approve" || got[1] != "bond" || got[2] != "set-commission" ||
		got[3] != "set-service-uri" {
		t.Fatalf("%v", got)
	}
	p := dry.Plan
	if p.Steps[0].Estimate == nil || p.Steps[0].Typical || !p.Steps[1].Typical || p.TotalFee.IsZero() ||
		p.Token.String() != oneToken ||
		p.ActiveFrom == nil || *p.ActiveFrom != 101 || p.Rank == nil || *p.Rank != 1 || dry.Executed != nil {
		t.Errorf("%+v", p)
	}
	same(t, st.chain.Sent())
	if len(st.table.prices) != 0 {
		t.Error("a dry run set the price")
	}
}

// Step by step, and after a failure again from where it stands.
func TestActivationResumes(t *testing.T) {
	t.Parallel()
	st := newStation(t, nil)
	next := result[adminapi.PlanResult](t, st.post(adminapi.PathActivate+"?step=next", wish))
	if next.Executed == nil || next.Executed.Step != "approve" || !next.Plan.Steps[0].Done || next.Plan.Steps[1].Done {
		t.Fatalf("%+v", next)
	}
	if p := st.table.prices[core.Address{}].String(); p != "0.5USD per 1000000" || len(next.Local) != 1 {
		t.Errorf("price %s, %v", p, next.Local)
	}
	st.chain.Refuse(func(a protocol.Action) error {
		if _, ok := a.(protocol.SetServiceURI); ok {
			return fault.New(fault.StakeMissing, "set", "a bad day")
		}
		return nil
	})
	rec := st.post(adminapi.PathActivate, wish)
	broken := result[adminapi.PlanResult](t, rec)
	if rec.Code != 400 || len(broken.ExecutedAll) != 2 || broken.Executed.Step != "set-commission" ||
		broken.Error == nil || broken.Error.Message != "a bad day" {
		t.Fatalf("%d %s", rec.Code, rec.Body)
	}
	st.chain.Refuse(nil)
	whole := result[adminapi.PlanResult](t, st.post(adminapi.PathActivate, wish))
	if len(whole.ExecutedAll) != 1 || whole.Executed.Step != "set-service-uri" || whole.Error != nil {
		t.Fatalf("%+v", whole)
	}
	same(t, st.chain.Sent(), protocol.Approve{Amount: core.LPTTokens(1)},
		protocol.Bond{Amount: core.LPTTokens(1), To: account},
		protocol.SetCommission{RewardCut: 100_000, FeeShare: 50_000}, protocol.SetServiceURI{URI: "https://o.example:8935"})
	again := result[adminapi.PlanResult](t, st.post(adminapi.PathActivate, wish))
	if again.Executed != nil || again.Error != nil {
		t.Errorf("%+v", again)
	}
}

func TestConfigKeepsTheOtherCut(t *testing.T) {
	t.Parallel()
	st := orchestrating(t, nil)
	st.post(adminapi.ActionPath(adminapi.VerbReward), "")
	st.post(adminapi.PathConfig, `{"rewardCut":100000,"feeCut":950000}`)
	before := len(st.chain.Sent())
	if got := st.post(adminapi.PathConfig, `{"feeCut":900000}`); got.Code != 200 {
		t.Fatalf("%d %s", got.Code, got.Body)
	}
	st.post(adminapi.PathConfig, `{"feeCut":900000,"serviceURI":"https://o.example:8935"}`)
	same(t, st.chain.Sent()[before:], protocol.SetCommission{RewardCut: 100_000, FeeShare: 100_000})
}

func TestPlansRefuse(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"pixelsPerUnit":5}`:                    "pixelsPerUnit and currency belong to pricePerUnit, which is missing",
		`{"pricePerUnit":"5","pixelsPerUnit":0}`: "field pixelsPerUnit: must be at least 1",
		`{"pricePerUnit":"0.5"}`: "field pricePerUnit: not a whole number of wei; an amount of a " +
			"currency needs its name, such as 0.50USD",
		`{"serviceURI":"https://o.example"}`:       "field serviceURI: not an address of the form https://host:port",
		`{"serviceURI":"https://u:p@o.example:1"}`: "field serviceURI: not an address of the form https://host:port",
	} {
		for _, path := range []string{adminapi.PathActivate, adminapi.PathConfig} {
			st := newStation(t, nil)
			got := st.post(path, body)
			if e := result[adminapi.ErrorBody](t, got).Error; got.Code != 400 || e.Message != want {
				t.Errorf("%s: %d %s", body, got.Code, got.Body)
			}
			same(t, st.chain.Sent())
		}
	}
	st := newStation(t, func(o *admin.Options) { o.Chain.Orchestrator = other })
	if got := st.post(adminapi.PathActivate, `{}`); result[adminapi.ErrorBody](t,
		got).Error.Code != string(fault.AccountNotOrchestrator) {
		t.Errorf("another's orchestrator: %d %s", got.Code, got.Body)
	}
}
