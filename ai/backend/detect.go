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
)

// detect finds out what a runner is: by whether it lists models as OpenAI does, else by its
// /health, which the kinds word differently. A /health in the words of the network's
// contract alone is no proof: other servers use them as well. What has a /health and no
// such list is taken for a runner of the contract, as the existing node takes it.
func (s *Server) detect(ctx context.Context) (Kind, error) {
	if s.options.Pipeline != capability.LLM {
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
		return s.flavour(ctx, models)
	}
	if byHealth != "" {
		return byHealth, nil
	}
	if health.ok() && (list.ok() || list.status == http.StatusNotFound || list.status == http.StatusMethodNotAllowed) {
		return Contract, nil
	}
	return "", s.refused(modelsPath, list)
}

// kindByHealth is the kind that answers /health in this way, "" where several do.
func kindByHealth(a *said) Kind {
	var status struct {
		Status string `json:"status"`
	}
	switch {
	case a.into(&status) && knownHealth(status.Status):
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

// knownHealth: only the network's runners write their health in capitals.
func knownHealth(text string) bool {
	switch Health(text) {
	case Loading, OK, Error, Idle:
		return true
	}
	return false
}

// listed is a model in a server's list.
type listed struct {
	ID      string `json:"id"`
	OwnedBy string `json:"owned_by"`
	// MaxModelLen is vLLM's.
	MaxModelLen int64 `json:"max_model_len"`
}

// readModels reads a list of models; false for what is none.
func readModels(a *said) ([]listed, bool) {
	var list struct {
		Object string   `json:"object"`
		Data   []listed `json:"data"`
	}
	// Ollama without models has null for the list.
	if !a.ok() || !a.into(&list) || list.Data == nil && list.Object != "list" {
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
	// maxName bounds a model's name, maxModels how many of them are remembered.
	maxName   = 512
	maxModels = 1000
)

// flavour tells the OpenAI-compatible servers apart.
func (s *Server) flavour(ctx context.Context, models []listed) (Kind, error) {
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
	if a != nil && a.into(&version) && version.Version != "" {
		return Ollama, nil
	}
	return OpenAI, nil
}

type versionAnswer struct {
	Version string `json:"version"`
}
