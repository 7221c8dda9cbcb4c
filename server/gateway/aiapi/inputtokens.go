package aiapi

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pipeline"
)

// inputTokens is the answer to a chat whose tokens are to be counted, and which no model gets.
type inputTokens struct {
	Object      string           `json:"object"`
	InputTokens inference.Tokens `json:"input_tokens"`
	// Estimated: the number is made of the text's length, not by the model's own tokens.
	Estimated bool `json:"estimated"`
}

// estimateTokens answers how many tokens a chat has, about. It asks no orchestrator and costs nothing.
func (x *relayedRequest) estimateTokens() error {
	ctx := x.r.Context()
	if err := x.checkKey(); err != nil {
		return err
	}
	body, err := x.readBody()
	if err != nil {
		return err
	}
	req, err := pipeline.Decode(x.route.capability, x.route.operation, jsonType[0], body)
	if err != nil {
		return err
	}
	if err := x.admit(ctx, apikeys.Need{Model: req.Model.ID, MaxTokens: apikeys.NoTokens, MaxPrompt: 1}); err != nil {
		return err
	}
	states, err := x.server.opt.Dispatcher.Models(ctx)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(states, func(s inference.ModelState) bool { return s.Model == req.Model }) {
		return fault.New(fault.ModelUnknown, "count tokens",
			fmt.Sprintf("no orchestrator offers the model %.256q; GET /v1/models lists those that are offered", req.Model.ID))
	}
	x.sendJSON(http.StatusOK, inputTokens{"chat.completion.input_tokens", req.InputTokens, true})
	return nil
}
