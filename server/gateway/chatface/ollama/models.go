package ollama

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/chatface"
)

// model is a model in the gateway's own list.
type model struct {
	ID            string   `json:"id"`
	Created       int64    `json:"created"`
	Pipeline      string   `json:"pipeline"`
	Warm          bool     `json:"warm"`
	ContextLength int64    `json:"context_length"`
	Operations    []string `json:"operations"`
}

// llmPipeline is the pipeline of the models that the API is about.
const llmPipeline = "llm"

// tag is a model as the API lists it. What the network does not say of a model is empty.
type tag struct {
	Name          string    `json:"name"`
	Model         string    `json:"model"`
	ModifiedAt    time.Time `json:"modified_at"`
	Size          int64     `json:"size"`
	Digest        string    `json:"digest"`
	Details       details   `json:"details"`
	ContextLength int64     `json:"context_length,omitempty"`
}

type details struct {
	ParentModel       string   `json:"parent_model"`
	Format            string   `json:"format"`
	Family            string   `json:"family"`
	Families          []string `json:"families"`
	ParameterSize     string   `json:"parameter_size"`
	QuantizationLevel string   `json:"quantization_level"`
}

type tags struct {
	Models []tag `json:"models"`
}

// models reads the gateway's own list.
func models(in []byte) ([]model, error) {
	var list struct {
		Data []model `json:"data"`
	}
	if err := json.Unmarshal(in, &list); err != nil {
		return nil, unreadable(err)
	}
	return slices.DeleteFunc(list.Data, func(m model) bool { return m.Pipeline != llmPipeline }), nil
}

// listing is a request for a list of models. It asks for those that are chosen.
type listing struct{ chosen func(*model) bool }

// list returns the reader of requests for a list.
func list(chosen func(*model) bool) func(*face, time.Time, []byte) (chatface.Conversation, error) {
	return func(*face, time.Time, []byte) (chatface.Conversation, error) { return listing{chosen}, nil }
}

// Chat is empty.
func (listing) Chat() []byte { return nil }

// Stream is nil.
func (listing) Stream() chatface.Stream { return nil }

// Answer maps the list. The error is AnswerUnreadable.
func (l listing) Answer(in []byte) (mime string, body []byte, err error) {
	all, err := models(in)
	if err != nil {
		return "", nil, err
	}
	out := tags{Models: []tag{}}
	for i := range all {
		if m := &all[i]; l.chosen(m) {
			out.Models = append(out.Models, tag{Name: m.ID, Model: m.ID, ModifiedAt: time.Unix(m.Created, 0).UTC(),
				ContextLength: m.ContextLength})
		}
	}
	body, err = chatface.Encode(out)
	return jsonType, body, err
}

// showing is a request for one model.
type showing struct{ name string }

// readShow reads a request to /api/show.
func readShow(_ *face, _ time.Time, body []byte) (chatface.Conversation, error) {
	var in struct {
		Model string `json:"model"`
		Name  string `json:"name"`
	}
	if err := chatface.Decode("", body, &in); err != nil {
		return nil, err
	}
	if in.Model == "" {
		in.Model = in.Name
	}
	if in.Model == "" {
		return nil, chatface.Refuse("model", "the request names no model")
	}
	return showing{in.Model}, nil
}

// Chat is empty.
func (showing) Chat() []byte { return nil }

// Stream is nil.
func (showing) Stream() chatface.Stream { return nil }

// shown is a model with all that is known of it.
type shown struct {
	Modelfile    string         `json:"modelfile"`
	Parameters   string         `json:"parameters"`
	Template     string         `json:"template"`
	Details      details        `json:"details"`
	ModelInfo    map[string]any `json:"model_info"`
	Capabilities []string       `json:"capabilities"`
	ModifiedAt   time.Time      `json:"modified_at"`
}

// architecture is the word for a model's architecture, which the network does not say. Clients look for the
// context's length under it.
const architecture = "unknown"

// Answer maps the model of the list. Errors are ModelUnknown and AnswerUnreadable.
func (s showing) Answer(in []byte) (mime string, body []byte, err error) {
	all, err := models(in)
	if err != nil {
		return "", nil, err
	}
	i := slices.IndexFunc(all, func(m model) bool { return m.ID == s.name })
	if i < 0 {
		return "", nil, fault.New(fault.ModelUnknown, "find model",
			fmt.Sprintf("no orchestrator offers the model %.256q; GET /api/tags lists those that are offered", s.name))
	}
	m := &all[i]
	out := shown{ModifiedAt: time.Unix(m.Created, 0).UTC(), Capabilities: capabilities(m),
		ModelInfo: map[string]any{"general.architecture": architecture}}
	if m.ContextLength > 0 {
		out.ModelInfo[architecture+".context_length"] = m.ContextLength
	}
	body, err = chatface.Encode(out)
	return jsonType, body, err
}

// capabilities are what is known that a model can do. Whether it knows tools or images the network does not
// say. Without operations a model chats: those of the existing network do that alone.
func capabilities(m *model) []string {
	out := []string{}
	if len(m.Operations) == 0 || slices.Contains(m.Operations, "chat") {
		out = append(out, "completion")
	}
	if slices.Contains(m.Operations, "embedding") {
		out = append(out, "embedding")
	}
	return out
}
