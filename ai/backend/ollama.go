package backend

import (
	"context"
	"fmt"
	"slices"

	"github.com/tuttinode/tutti/core/inference"
)

const ollamaVersionPath = "/api/version"

// ollamaTag is Ollama's name for a model of the network, "" if unknown. Operators of the
// network commonly serve these four with Ollama.
func ollamaTag(model string) string {
	switch model {
	case "meta-llama/Meta-Llama-3.1-8B-Instruct":
		return "llama3.1:8b"
	case "mistralai/Mistral-7B-Instruct-v0.3":
		return "mistral:7b"
	case "google/gemma-2-9b-it":
		return "gemma2:9b"
	case "meta-llama/Meta-Llama-3.1-70B-Instruct":
		return "llama3.1:70b"
	}
	return ""
}

// ollamaDetails asks Ollama for the model's operations and its context. The context is
// known only once the model is loaded: the model's maximum is far more than Ollama's setting.
func (s *inspection) ollamaDetails(ctx context.Context, info *Info) error {
	info.Slots, info.Assumed = ollamaSlots, true
	a, err := s.optional(ctx, ollamaVersionPath, nil)
	if err != nil {
		return err
	}
	var version versionAnswer
	if a != nil && a.decode(&version) && len(version.Version) <= maxName {
		info.Version = version.Version
	}
	if info.Operations, err = s.ollamaShow(ctx, info); err != nil {
		return err
	}
	a, err = s.optional(ctx, "/api/ps", nil)
	if err != nil || a == nil {
		return err
	}
	info.Context = loadedContext(a, info.Served)
	return nil
}

func loadedContext(a *probeAnswer, served string) inference.Tokens {
	var loaded struct {
		Models []struct {
			Name    string `json:"name"`
			Context int64  `json:"context_length"`
		} `json:"models"`
	}
	if !a.decode(&loaded) {
		return 0
	}
	for _, m := range loaded.Models {
		if m.Name == served {
			return contextOf(m.Context)
		}
	}
	return 0
}

// ollamaShow reads a model's operations, and its features into info. Old versions report none: then it is a
// chat model.
func (s *inspection) ollamaShow(ctx context.Context, info *Info) ([]inference.Operation, error) {
	text := []inference.Operation{inference.Chat, inference.Completion}
	a, err := s.optional(ctx, "/api/show", fmt.Appendf(nil, `{"model":%s}`, quoted(info.Served)))
	if err != nil || a == nil {
		return text, err
	}
	var show struct {
		Capabilities []string `json:"capabilities"`
	}
	if !a.decode(&show) || len(show.Capabilities) == 0 {
		return text, nil
	}
	info.Features = ollamaFeatures(show.Capabilities)
	var can []inference.Operation
	if slices.Contains(show.Capabilities, "completion") {
		can = append(can, text...)
	}
	if slices.Contains(show.Capabilities, "embedding") {
		can = append(can, inference.Embedding)
	}
	return can, nil
}

// ollamaFeatures reads the features among a model's capabilities. Every version that reports capabilities has names for
// tools and pictures, and answers by a schema.
func ollamaFeatures(capabilities []string) (f inference.Features) {
	f.Has = inference.JSONSchema
	for name, feature := range map[string]inference.FeatureSet{"tools": inference.Tools, "vision": inference.Vision} {
		if slices.Contains(capabilities, name) {
			f.Has |= feature
		} else {
			f.Lacks |= feature
		}
	}
	if slices.Contains(capabilities, "audio") {
		f.Has |= inference.AudioInput
	}
	return f
}
