package backend

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/tuttinode/tutti/core/capability"
)

const (
	healthPath     = "/health"
	modelsPath     = "/v1/models"
	chatPath       = "/v1/chat/completions"
	completionPath = "/v1/completions"
	embeddingPath  = "/v1/embeddings"
	rerankPath     = "/v1/rerank"
)

// detect finds out a runner's kind: by its OpenAI list of models, else by its /health, whose
// form differs between kinds. A /health in the contract's form alone is no proof, as other
// servers use it too. A runner with /health and without a list counts as one of the
// contract, as in the existing node.
func (s *Server) detect(ctx context.Context) (Kind, error) {
	switch {
	case s.options.Pipeline == capability.AudioToText && !s.options.Container:
		return s.detectSpeech(ctx)
	case s.options.Pipeline != capability.LLM:
		return Contract, nil
	}
	health, err := s.ask(ctx, healthPath, nil)
	if err != nil {
		return "", err
	}
	byHealth := kindByHealth(health)
	if byHealth == LlamaCpp {
		return LlamaCpp, nil
	}
	list, err := s.ask(ctx, modelsPath, nil)
	switch {
	case err != nil && byHealth != "" && ctx.Err() == nil:
		return byHealth, nil
	case err != nil:
		return "", err
	}
	if models, ok := readModels(list); ok {
		return s.openAIKind(ctx, models)
	}
	if byHealth != "" {
		return byHealth, nil
	}
	noList := list.ok() || list.status == http.StatusNotFound || list.status == http.StatusMethodNotAllowed
	if health.ok() && noList {
		return Contract, nil
	}
	return "", s.refused(modelsPath, list)
}

// kindByHealth returns the kind with this form of /health, "" if several have it.
func kindByHealth(a *probeAnswer) Kind {
	var status struct {
		Status string `json:"status"`
	}
	switch {
	case a.decode(&status) && knownHealth(status.Status):
		return Contract
	case a.status == http.StatusInternalServerError && hasDetail(a.body):
		return Contract
	case a.status == http.StatusServiceUnavailable && strings.EqualFold(a.message(), "Loading model"):
		return LlamaCpp
	}
	return ""
}

// hasDetail reports whether an error is in the form of the network's runners.
func hasDetail(body []byte) bool {
	var e struct {
		Detail struct {
			Msg string `json:"msg"`
		} `json:"detail"`
	}
	return json.Unmarshal(body, &e) == nil && e.Detail.Msg != ""
}

// knownHealth reports whether text is a status of the contract: only its runners use
// capitals.
func knownHealth(text string) bool {
	switch Health(text) {
	case Loading, OK, Error, Idle:
		return true
	}
	return false
}

// listedModel is a model in a server's list.
type listedModel struct {
	ID      string `json:"id"`
	OwnedBy string `json:"owned_by"`
	// MaxModelLen is vLLM's.
	MaxModelLen int64 `json:"max_model_len"`
	// Aliases are further names, and Status whether a router has it loaded; both are llama.cpp's.
	Aliases []string        `json:"aliases"`
	Status  json.RawMessage `json:"status"`
}

// readModels reads a list of models; false for what is none.
func readModels(a *probeAnswer) ([]listedModel, bool) {
	var list struct {
		Object string        `json:"object"`
		Data   []listedModel `json:"data"`
	}
	// Ollama without models has null for the list.
	if !a.ok() || !a.decode(&list) || list.Data == nil && list.Object != "list" {
		return nil, false
	}
	models := list.Data[:0]
	for _, m := range list.Data {
		if m.ID != "" && len(m.ID) <= maxName {
			models = append(models, m)
		}
	}
	return models[:min(len(models), maxModels)], true
}

const (
	// maxName bounds a model's name, maxModels the models that are kept.
	maxName   = 512
	maxModels = 1000
)

// openAIKind distinguishes the OpenAI-compatible servers.
func (s *Server) openAIKind(ctx context.Context, models []listedModel) (Kind, error) {
	for _, m := range models {
		switch m.OwnedBy {
		case "llamacpp":
			return LlamaCpp, nil
		case "vllm":
			return VLLM, nil
		}
	}
	a, _, err := s.optional(ctx, ollamaVersionPath, nil)
	if err != nil {
		return "", err
	}
	var version versionAnswer
	if a != nil && a.decode(&version) && version.Version != "" {
		return Ollama, nil
	}
	return OpenAI, nil
}

type versionAnswer struct {
	Version string `json:"version"`
}
