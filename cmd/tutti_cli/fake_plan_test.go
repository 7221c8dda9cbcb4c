package main

import (
	"net/http"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/protocol"
)

// fakeStep is a step of the fake's plan, with what it does.
type fakeStep struct {
	name, about string
	done        bool
	do          func()
}

// steps are worked out from the state, as the node does.
func (f *fakeNode) steps(want adminapi.Activation) (steps []fakeStep) {
	if want.Stake != nil {
		steps = append(steps, fakeStep{adminapi.VerbBond, "bond " + want.Stake.Tokens() + " LPT to your own address",
			f.delegator.PendingStake.Cmp(*want.Stake) >= 0, func() { f.bond(*want.Stake, self) }})
	}
	if want.UnbondingLock != nil {
		steps = append(steps, fakeStep{adminapi.VerbRebondFromUnbonded, "bond an unbonding lock again",
			f.orchestrator.Registered, func() { f.bond(core.LPTTokens(1), self) }})
	}
	if want.RewardCut != nil && want.FeeCut != nil {
		steps = append(steps, fakeStep{adminapi.VerbSetCommission, "keep " + want.RewardCut.String() +
			" % of the rewards and " + want.FeeCut.String() + " % of the fees",
			f.orchestrator.RewardCut == *want.RewardCut && f.orchestrator.FeeCut == *want.FeeCut,
			func() { f.orchestrator.RewardCut, f.orchestrator.FeeCut = *want.RewardCut, *want.FeeCut }})
	}
	if want.ServiceURI != nil {
		steps = append(steps, fakeStep{adminapi.VerbSetServiceURI, "publish the address " + *want.ServiceURI,
			f.orchestrator.ServiceURI == *want.ServiceURI,
			func() { f.orchestrator.ServiceURI = *want.ServiceURI }})
	}
	return steps
}

func (f *fakeNode) plan(want adminapi.Activation) adminapi.Plan {
	rank, from := 2, protocol.Round(8)
	p := adminapi.Plan{Steps: []adminapi.Step{}, Warnings: []string{}, Rank: &rank, ActiveFrom: &from}
	if want.Stake != nil {
		p.Token = want.Stake.Sub(f.delegator.PendingStake)
	}
	first := true
	for _, s := range f.steps(want) {
		step := adminapi.Step{Name: s.name, About: s.about, Done: s.done}
		if !s.done {
			step.Estimate, step.Typical = f.estimate(s.name, s.about), !first
			p.TotalFee = p.TotalFee.Add(step.Estimate.Fee)
			if e, ok := f.refuse[s.name]; ok {
				step.Error = &e
			}
			first = false
		}
		p.Steps = append(p.Steps, step)
	}
	return p
}

// activate answers activate and config: Config is an Activation without stake.
func (f *fakeNode) activate(w http.ResponseWriter, r *http.Request, body []byte) {
	var want adminapi.Activation
	f.read(body, &want)
	if f.free && want.PricePerUnit != nil && *want.PricePerUnit != "0" {
		f.refused(w, http.StatusNotImplemented,
			adminapi.Error{Code: "FeatureMissing", Message: "the price can only be 0", Remedy: "leave it"})
		return
	}
	result := adminapi.PlanResult{Plan: f.plan(want)}
	if r.URL.Query().Get(adminapi.QueryDryRun) == "true" {
		f.answer(w, result)
		return
	}
	if r.URL.Query().Get(adminapi.QueryStep) != adminapi.StepNext {
		f.t.Error("steps are to be taken one by one")
	}
	if want.PricePerUnit != nil {
		price := *want.PricePerUnit
		if want.Currency != nil {
			price += *want.Currency
		}
		if f.price != price {
			f.price, result.Local = price, []string{"set-price"}
		}
	}
	for _, s := range f.steps(want) {
		if s.done {
			continue
		}
		t := f.send(s.name, s.about)
		f.wait(r)
		if t.State == protocol.TxFailed {
			f.refused(w, http.StatusBadGateway,
				adminapi.Error{Code: "ContractReverted", Message: t.Reason, Remedy: "read the reason"})
			return
		}
		s.do()
		if f.abort {
			f.abort = false
			panic(http.ErrAbortHandler)
		}
		result.Executed = &adminapi.Executed{Step: s.name, About: s.about, Transaction: t}
		break
	}
	result.Plan = f.plan(want)
	f.answer(w, result)
}
