package admin

import (
	"context"
	"net/http"
	"strings"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/protocol"
)

// planEndpoints become an orchestrator, and change one, step by step.
func planEndpoints() []endpoint {
	plan := func(path, summary string, body any) adminapi.Route {
		route := post(path, summary, body, adminapi.PlanResult{})
		route.Detail = "Steps are made from what the chain says: running it again after a failure goes on at the open step."
		route.Partly = true
		route.Query = []adminapi.QueryParameter{
			boolParameter(adminapi.QueryDryRun, "answer with the plan and do nothing"),
			{Name: adminapi.QueryStep, About: "take only the next open step", Values: []string{adminapi.StepNext}},
		}
		return route
	}
	return []endpoint{
		{Route: plan(adminapi.PathActivate, "Become an orchestrator", adminapi.Activation{}), chain: true, serve: activate},
		{Route: plan(adminapi.PathConfig, "Change what differs of an orchestrator", adminapi.Config{}), chain: true,
			serve: configure},
	}
}

func activate(s *Server, r *http.Request) (any, error) {
	in, err := body[adminapi.Activation](r)
	if err != nil {
		return nil, err
	}
	asked, err := s.asked(r.Context(), adminapi.Config{RewardCut: in.RewardCut, FeeCut: in.FeeCut,
		ServiceURI: in.ServiceURI, Pricing: in.Pricing})
	if err != nil {
		return nil, err
	}
	asked.wish.Lock = in.UnbondingLock
	if in.Stake != nil {
		asked.wish.Stake = *in.Stake
	}
	return s.follow(r, asked)
}

func configure(s *Server, r *http.Request) (any, error) {
	in, err := body[adminapi.Config](r)
	if err != nil {
		return nil, err
	}
	asked, err := s.asked(r.Context(), in)
	if err != nil {
		return nil, err
	}
	return s.follow(r, asked)
}

// asked reads what an orchestrator is to be. Cuts go together on the chain, so the
// one that is not given stays as it is there.
func (s *Server) asked(ctx context.Context, in adminapi.Config) (out settled, err error) {
	c := s.opts.Chain
	if err := c.mustOwn(); err != nil {
		return out, err
	}
	if err := atMostWhole("rewardCut", in.RewardCut); err != nil {
		return out, err
	}
	if err := atMostWhole("feeCut", in.FeeCut); err != nil {
		return out, err
	}
	if in.RewardCut != nil || in.FeeCut != nil {
		o, err := c.Stakes.Orchestrator(ctx, c.Actor.Account())
		if err != nil {
			return out, err
		}
		out.wish.RewardCut, out.wish.FeeShare = &o.RewardCut, &o.FeeShare
		if in.RewardCut != nil {
			out.wish.RewardCut = in.RewardCut
		}
		if in.FeeCut != nil {
			share := in.FeeCut.Rest()
			out.wish.FeeShare = &share
		}
	}
	if in.ServiceURI != nil {
		if out.wish.ServiceURI, err = parseServiceURI(*in.ServiceURI); err != nil {
			return out, badBody("field serviceURI: " + err.Error())
		}
	}
	out.price, err = s.askedPrice(in.Pricing)
	return out, err
}

func (s *Server) askedPrice(in adminapi.Pricing) (core.UnitPrice, error) {
	if in.PricePerUnit == nil {
		if in.PixelsPerUnit != nil || in.Currency != nil {
			return core.UnitPrice{}, badBody("pixelsPerUnit and currency belong to pricePerUnit, which is missing")
		}
		return core.UnitPrice{}, nil
	}
	if s.opts.Market.Prices == nil {
		return core.UnitPrice{}, absent("prices that can be changed while it runs")
	}
	return pricingOf(in)
}

// pricingOf reads a price that is given.
func pricingOf(in adminapi.Pricing) (core.UnitPrice, error) {
	pixels, currency := core.Pixels(1), ""
	if in.PixelsPerUnit != nil {
		pixels = *in.PixelsPerUnit
	}
	if in.Currency != nil {
		currency = strings.TrimSpace(*in.Currency)
	}
	if pixels < 1 {
		return core.UnitPrice{}, badBody("field pixelsPerUnit: must be at least 1")
	}
	price, err := parsePrice(*in.PricePerUnit, currency, pixels)
	if err != nil {
		return core.UnitPrice{}, badBody("field pricePerUnit: " + err.Error())
	}
	return price, nil
}

// follow answers with the plan, or takes its next step, or all of them.
func (s *Server) follow(r *http.Request, asked settled) (any, error) {
	planner := s.opts.Chain.planner()
	if flag(r, adminapi.QueryDryRun, "true") {
		if err := s.checkPrice(r.Context(), core.Address{}, asked.price); err != nil {
			return nil, err
		}
		plan, err := planner.Plan(r.Context(), asked.wish)
		return adminapi.PlanResult{Plan: planOf(plan)}, err
	}
	var out adminapi.PlanResult
	if asked.price.IsSet() {
		changed, err := s.changePrice(r.Context(), asked.price)
		if err != nil {
			return nil, err
		}
		if changed {
			out.Local = []string{"set-price"}
		}
	}
	done, plan, err := s.take(r, planner, asked.wish)
	out.Plan = planOf(plan)
	for _, d := range done {
		out.ExecutedAll = append(out.ExecutedAll, adminapi.Executed{Step: adminapi.Kebab(d.Step.Name), About: d.Step.About,
			Transaction: transactionOf(d.Transaction)})
	}
	if n := len(out.ExecutedAll); n > 0 {
		out.Executed = &out.ExecutedAll[n-1]
	}
	if err != nil {
		why := errorOf(err)
		out.Error = &why
		return nil, partialError{out, err}
	}
	return out, nil
}

// take does what the query says, and says what was sent.
func (s *Server) take(r *http.Request, planner protocol.ActivationPlanner,
	wish protocol.ActivationWish) ([]protocol.ExecutedStep,
	protocol.ActivationPlan, error) {
	if !flag(r, adminapi.QueryStep, adminapi.StepNext) {
		return s.run(r.Context(), wish)
	}
	free, err := s.plan()
	if err != nil {
		return nil, protocol.ActivationPlan{}, err
	}
	defer free()
	done, plan, err := planner.Step(r.Context(), wish)
	if done.Transaction.Hash.IsZero() {
		return nil, plan, err
	}
	all := []protocol.ExecutedStep{done}
	return all, plan, s.reportActivation(r.Context(), all, err)
}
