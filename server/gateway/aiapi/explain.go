package aiapi

import (
	"math/big"
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/airouting"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/server/gateway/broker"
)

// Explainer is a Dispatcher that says how it would place a job. See broker.Broker.Explain.
type Explainer interface {
	Explain(job *inference.Job, hint broker.Hint) (choices []airouting.Choice, refreshed time.Time)
}

// Explain returns which orchestrators would get a request for a language model, without sending anything.
// Keys and guards are not asked. Errors are the faults that the request would get.
func (s *Server) Explain(op inference.Operation, body []byte) (adminapi.RoutePlan, error) {
	none := adminapi.RoutePlan{}
	req, err := pipeline.Decode(capability.LLM, op, jsonType[0], body)
	if err != nil {
		return none, err
	}
	targets, err := s.targets(req)
	if err != nil {
		return none, err
	}
	wishes, err := s.preferences(req)
	if err != nil {
		return none, err
	}
	if targets == nil {
		targets = []airouting.ModelTarget{{Name: req.Model.ID, Model: req.Model.ID, Reason: airouting.TargetAsked}}
	}
	llm := llmRequest{req: req, body: body, targets: targets, hint: broker.Hint{Preferences: wishes}}
	if req.Operation == inference.Chat {
		llm.hint.Affinity = pipeline.PrefixHashes(body)
	}
	var plan adminapi.RoutePlan
	for i := range targets {
		t := &targets[i]
		job, hint, err := llm.jobFor(t, "", func(int64) error { return nil })
		if err != nil {
			return none, err
		}
		m := adminapi.RoutedModel{Name: t.Name, Model: t.Model, Why: string(t.Reason),
			Orchestrators: []adminapi.RoutedOrchestrator{}}
		if e, ok := s.opt.Dispatcher.(Explainer); ok {
			choices, refreshed := e.Explain(job, hint)
			m.Refreshed = known(refreshed)
			for i := range choices {
				m.Orchestrators = append(m.Orchestrators, routed(&choices[i]))
			}
		}
		plan.Models = append(plan.Models, m)
	}
	return plan, nil
}

// known returns a time, nil for the zero one.
func known(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	at = at.UTC()
	return &at
}

func routed(c *airouting.Choice) adminapi.RoutedOrchestrator {
	o := &c.Status.Offer
	price := o.Price
	if price == nil {
		price = new(big.Rat)
	}
	out := adminapi.RoutedOrchestrator{
		Rank: c.Rank, URI: o.URI, Reason: string(c.Reason), Says: c.Reason.Text(), Until: known(c.Until),
		Price: price.RatString(), Warm: o.Warm, InFlight: c.Status.InFlight, Capacity: o.Capacity,
		FirstByteSeconds: c.Status.FirstByte.Seconds(), Missing: append([]string{}, c.Missing.Words()...),
	}
	if !o.Owner.IsZero() {
		out.Account = o.Owner.String()
	}
	return out
}
