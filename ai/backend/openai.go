package backend

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// Slots of servers that do not report them. These servers queue surplus requests, so that
// a number that is too high moves the wait to their queue.
const (
	// vllmSlots is below vLLM's own default on any GPU (max_num_seqs).
	vllmSlots = 128
	// ollamaSlots is Ollama's default (OLLAMA_NUM_PARALLEL).
	ollamaSlots = 1
	// otherSlots is a guess for unknown servers.
	otherSlots = 4
)

// openAIDetails asks an OpenAI-compatible server for its models and the details of its kind.
func (s *inspection) openAIDetails(ctx context.Context, info *Info) error {
	list, err := s.ask(ctx, modelsPath, nil)
	if err != nil {
		return err
	}
	models, ok := readModels(list)
	if !ok {
		return s.refused(modelsPath, list)
	}
	for _, m := range models {
		info.Models = append(info.Models, m.ID)
	}
	if info.Served, err = s.served(info.Kind, info.Models); err != nil {
		return err
	}
	switch info.Kind {
	case LlamaCpp:
		err = s.llamaDetails(ctx, info)
	case Ollama:
		return s.ollamaDetails(ctx, info)
	case VLLM:
		err = s.vllmDetails(ctx, info, models)
	default:
		info.Slots, info.Assumed = otherSlots, true
	}
	if err != nil {
		return err
	}
	info.Operations, err = s.operations(ctx, info.Served)
	return err
}

// served returns the server's name for the model: the operator's, the network's, or the only one
// in the list.
func (s *Server) served(kind Kind, models []string) (string, error) {
	want := cmp.Or(s.options.Served, s.options.Model)
	if name := match(kind, models, want); name != "" {
		return name, nil
	}
	switch {
	case s.options.Served == "" && len(models) == 1:
		return models[0], nil
	// llama.cpp with one model takes any name for it; a list of others may leave
	// models out.
	case s.options.Served != "" && (kind == OpenAI || kind == LlamaCpp && len(models) <= 1):
		return s.options.Served, nil
	}
	text := fmt.Sprintf("does not have %.200q; it has %s", want, enumerate(models))
	return "", s.fault(fault.RunnerModelMissing, opProbe, text, nil)
}

// match finds a wanted name in a list, "" without.
func match(kind Kind, models []string, want string) string {
	if slices.Contains(models, want) {
		return want
	}
	if kind != Ollama {
		return ""
	}
	for _, name := range []string{want + ":latest", ollamaTag(want)} {
		if slices.Contains(models, name) {
			return name
		}
	}
	return ""
}

// enumerate names the first few models.
func enumerate(models []string) string {
	const most = 5
	if len(models) == 0 {
		return "none"
	}
	var names []string
	for _, m := range models[:min(len(models), most)] {
		names = append(names, fmt.Sprintf("%.60q", m))
	}
	if len(models) > most {
		names = append(names, fmt.Sprintf("%d more", len(models)-most))
	}
	return strings.Join(names, ", ")
}

// llamaDetails asks llama.cpp's server for its slots and context.
func (s *inspection) llamaDetails(ctx context.Context, info *Info) error {
	info.Slots, info.Assumed = otherSlots, true
	a, err := s.optional(ctx, "/props", nil)
	if err != nil || a == nil {
		return err
	}
	var props struct {
		TotalSlots int    `json:"total_slots"`
		BuildInfo  string `json:"build_info"`
		Defaults   struct {
			// Context is that of one slot.
			Context int64 `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}
	if !a.decode(&props) {
		return nil
	}
	if props.TotalSlots > 0 && props.TotalSlots <= maxSlots {
		info.Slots, info.Assumed = props.TotalSlots, false
	}
	if len(props.BuildInfo) <= maxName {
		info.Version = props.BuildInfo
	}
	info.Context = contextOf(props.Defaults.Context)
	return nil
}

const (
	// maxSlots and maxContext bound the accepted values.
	maxSlots   = 1 << 16
	maxContext = 1 << 40
)

func contextOf(n int64) inference.Tokens {
	if n < 0 || n > maxContext {
		return 0
	}
	return inference.Tokens(n)
}

// vllmDetails asks vLLM for its version; the context is in the list.
func (s *inspection) vllmDetails(ctx context.Context, info *Info, models []listedModel) error {
	info.Slots, info.Assumed = vllmSlots, true
	for _, m := range models {
		if m.ID == info.Served {
			info.Context = contextOf(m.MaxModelLen)
		}
	}
	a, err := s.optional(ctx, "/version", nil)
	var version versionAnswer
	if a != nil && a.decode(&version) && len(version.Version) <= maxName {
		info.Version = version.Version
	}
	return err
}

// operations finds out with one-token requests whether the server embeds or ranks, and whether one that
// does also chats. No server reports this in its list.
func (s *inspection) operations(ctx context.Context, served string) ([]inference.Operation, error) {
	text := []inference.Operation{inference.Chat, inference.Completion}
	name := quoted(served)
	embeds, err := s.optional(ctx, embeddingPath, fmt.Appendf(nil, `{"model":%s,"input":"a"}`, name))
	if err != nil {
		return text, err
	}
	ranks, err := s.optional(ctx, rerankPath, fmt.Appendf(nil, `{"model":%s,"query":"a","documents":["a"]}`, name))
	if err != nil {
		return text, err
	}
	var only []inference.Operation
	if embeds != nil {
		only = append(only, inference.Embedding)
	}
	var ranking struct {
		Results []struct {
			Score *float64 `json:"relevance_score"`
		} `json:"results"`
	}
	if ranks != nil && ranks.decode(&ranking) && len(ranking.Results) == 1 && ranking.Results[0].Score != nil {
		only = append(only, inference.Rerank)
	}
	if only == nil {
		return text, nil
	}
	chat := fmt.Appendf(nil, `{"model":%s,"messages":[{"role":"user","content":"a"}],"max_tokens":1}`, name)
	chats, err := s.optional(ctx, chatPath, chat)
	if err != nil || chats == nil {
		return only, err
	}
	return append(text, only...), nil
}
