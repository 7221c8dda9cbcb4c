package aiapi

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// llmPipeline is the pipeline of language models. Read-only.
var llmPipeline = capability.LLM.Pipeline()

// modelList is OpenAI's list of models.
type modelList struct {
	Object string        `json:"object"`
	Data   []modelObject `json:"data"`
}

// modelObject is OpenAI's model; the fields after OwnedBy are additional.
type modelObject struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`

	// Pipeline is the network's name of what the model does.
	Pipeline string `json:"pipeline"`
	// AliasOf is the model of the network that the operator's name stands for.
	AliasOf string `json:"alias_of,omitempty"`
	// Warm: at least one orchestrator has the model loaded.
	Warm bool `json:"warm"`
	// ContextLength is the maximum length of prompt and answer together; 0 is unknown.
	ContextLength inference.Tokens `json:"context_length,omitempty"`
	// Capacity is how many jobs the orchestrators take at once; 0 is unknown.
	Capacity int `json:"capacity,omitempty"`
	// Operations are those that a model of llm supports.
	Operations []inference.Operation `json:"operations,omitempty"`
	// SupportedParameters are the fields of requests whose features orchestrators say that the model has, in
	// OpenRouter's words; those that every language model takes are left out.
	SupportedParameters []string `json:"supported_parameters,omitempty"`
	// Architecture is what the model reads and makes.
	Architecture *modalities `json:"architecture,omitempty"`
	// Pricing is the lowest price of a token in dollars, PriceWei the lowest and the highest of a unit in wei; nil
	// where they are not known.
	Pricing  *tokenPrices `json:"pricing,omitempty"`
	PriceWei *unitPrices  `json:"price_wei,omitempty"`

	has inference.FeatureSet
}

// listModels lists the models that the key may use.
func (x *relayedRequest) listModels() error {
	models, err := x.models()
	if err != nil {
		return err
	}
	x.sendJSON(http.StatusOK, modelList{Object: "list", Data: models})
	return nil
}

// oneModel describes the model that the path names.
func (x *relayedRequest) oneModel() error {
	models, err := x.models()
	if err != nil {
		return err
	}
	id := x.r.PathValue("model")
	i := slices.IndexFunc(models, func(m modelObject) bool { return m.ID == id })
	if i < 0 {
		return fault.New(fault.ModelUnknown, "find model",
			fmt.Sprintf("no orchestrator offers the model %.256q; GET /v1/models lists those that are offered", id))
	}
	x.sendJSON(http.StatusOK, models[i])
	return nil
}

// models returns the models that orchestrators offer and the key allows, each once.
func (x *relayedRequest) models() ([]modelObject, error) {
	ctx := x.r.Context()
	if err := x.admit(ctx, apikeys.Need{MaxTokens: apikeys.NoTokens}); err != nil {
		return nil, err
	}
	states, err := x.server.opt.Dispatcher.Models(ctx)
	if err != nil {
		return nil, err
	}
	x.complete = true
	prices := make(map[inference.Model]*inference.PriceRange)
	at := make(map[inference.Model]int)
	out := make([]modelObject, 0, len(states))
	for i := range states {
		s := &states[i]
		if s.State == inference.Failed || s.State == inference.Draining {
			continue
		}
		j, seen := at[s.Model]
		if !seen {
			j = len(out)
			at[s.Model] = j
			out = append(out, newModelObject(s))
		}
		out[j].merge(s)
		if s.Prices != nil {
			prices[s.Model] = prices[s.Model].Including(s.Prices.Low).Including(s.Prices.High)
		}
	}
	for model, i := range at {
		out[i].describe(model, prices[model], x.server.rate())
	}
	out = x.withAliases(out)
	out = slices.DeleteFunc(out, func(m modelObject) bool { return !x.grant.Allows(m.ID) })
	slices.SortFunc(out, func(a, b modelObject) int {
		return cmp.Or(strings.Compare(a.Pipeline, b.Pipeline), strings.Compare(a.ID, b.ID))
	})
	return out, nil
}

// withAliases adds the operator's names of offered language models.
func (x *relayedRequest) withAliases(models []modelObject) []modelObject {
	table := x.server.opt.Routes()
	offered := models
	find := func(id string) int {
		return slices.IndexFunc(offered, func(m modelObject) bool { return m.ID == id && m.Pipeline == llmPipeline })
	}
	for _, name := range table.Names() {
		if target := table.Model(name); target != name && find(name) < 0 {
			if i := find(target); i >= 0 {
				alias := offered[i]
				alias.ID, alias.AliasOf = name, target
				models = append(models, alias)
			}
		}
	}
	return models
}

func newModelObject(s *inference.ModelState) modelObject {
	m := modelObject{ID: s.Model.ID, Object: "model", OwnedBy: "network", Pipeline: s.Model.Capability.Pipeline()}
	if owner, _, ok := strings.Cut(s.Model.ID, "/"); ok {
		m.OwnedBy = owner
	}
	return m
}

// merge adds one orchestrator's data about the model.
func (m *modelObject) merge(s *inference.ModelState) {
	if !s.Since.IsZero() && (m.Created == 0 || s.Since.Unix() < m.Created) {
		m.Created = s.Since.Unix()
	}
	m.Warm = m.Warm || s.State == inference.Ready
	m.Capacity += max(s.Capacity, 0)
	m.ContextLength = max(m.ContextLength, s.Context)
	m.has |= s.Features.Has
	for _, op := range s.Operations {
		if !slices.Contains(m.Operations, op) {
			m.Operations = append(m.Operations, op)
		}
	}
}
