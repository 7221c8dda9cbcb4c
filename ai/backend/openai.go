package backend

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tuttinode/tutti/core/capability"
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
	if info.Served, info.Unlisted, err = s.served(info.Kind, models); err != nil {
		return err
	}
	if s.options.Pipeline == capability.AudioToText {
		return s.speechDetails(ctx, info)
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

// generates reports whether one of the operations writes text.
func generates(can []inference.Operation) bool {
	return slices.ContainsFunc(can, inference.Operation.Generates)
}

// served returns the server's name for the model: the operator's, the network's, or the only one
// in the list. unlisted says that the list lacks the operator's name, which may work all the same.
func (s *Server) served(kind Kind, listed []listedModel) (name, unlisted string, err error) {
	want := cmp.Or(s.options.Served, s.options.Model)
	if name := match(kind, listed, want); name != "" {
		return name, "", nil
	}
	switch {
	case s.options.Served == "" && len(listed) == 1 && !s.options.Shared:
		return listed[0].ID, "", nil
	// llama.cpp with one model takes any name for it, but its router does not; a list of
	// others may leave models out.
	case s.options.Served != "" && (kind == OpenAI || kind == LlamaCpp && len(listed) <= 1 && !routes(listed)):
		return want, s.name() + " does not list " + quotedName(want) + "; it has " + enumerate(listed), nil
	}
	text := "does not have " + quotedName(want) + "; it has " + enumerate(listed)
	return "", "", s.fault(fault.RunnerModelMissing, opProbe, text, nil)
}

// match finds a wanted name in a list, "" without.
func match(kind Kind, listed []listedModel, want string) string {
	wants := []string{want}
	if kind == Ollama {
		wants = append(wants, want+":latest", ollamaTag(want))
	}
	for _, name := range wants {
		at := slices.IndexFunc(listed, func(m listedModel) bool { return m.ID == name })
		if at < 0 {
			at = slices.IndexFunc(listed, func(m listedModel) bool { return slices.Contains(m.Aliases, name) })
		}
		if at >= 0 && name != "" {
			return name
		}
	}
	return ""
}

// routes reports whether a list is that of llama.cpp's router, which has the state of each model.
func routes(listed []listedModel) bool {
	return slices.ContainsFunc(listed, func(m listedModel) bool { return len(m.Status) > 0 })
}

// enumerate names the first few models.
func enumerate(models []listedModel) string {
	const most = 5
	if len(models) == 0 {
		return "none"
	}
	var names []string
	for _, m := range models[:min(len(models), most)] {
		names = append(names, fmt.Sprintf("%.60q", m.ID))
	}
	if len(models) > most {
		names = append(names, fmt.Sprintf("%d more", len(models)-most))
	}
	return strings.Join(names, ", ")
}

// constrainedServers always make answers that keep to a schema, and probabilities. Whether their model has tools
// depends on how they were started.
const constrainedServers = inference.JSONSchema | inference.Logprobs

// llamaDetails asks llama.cpp's server for its slots and context.
func (s *inspection) llamaDetails(ctx context.Context, info *Info) error {
	info.Slots, info.Assumed = otherSlots, true
	info.Features.Has = constrainedServers
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
		Modalities struct {
			Vision *bool `json:"vision"`
			Audio  *bool `json:"audio"`
		} `json:"modalities"`
		Template struct {
			Tools *bool `json:"supports_tools"`
		} `json:"chat_template_caps"`
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
	say := func(feature inference.FeatureSet, has *bool) {
		switch {
		case has == nil:
		case *has:
			info.Features.Has |= feature
		default:
			info.Features.Lacks |= feature
		}
	}
	say(inference.Vision, props.Modalities.Vision)
	say(inference.AudioInput, props.Modalities.Audio)
	// Without tools in the model's template some versions describe them in the prompt, and others drop them.
	if has := props.Template.Tools; has != nil && *has {
		info.Features.Has |= inference.Tools
	}
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
	info.Features.Has = constrainedServers
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
