package guards

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Stage is when a guard decides.
type Stage string

// The stages. An answer is shown whole, or in groups of events where it is a stream.
const (
	StageRequest Stage = "request"
	StageAnswer  Stage = "answer"
)

// Question is what a guard decides about.
type Question struct {
	Stage     Stage  `json:"stage"`
	RequestID string `json:"request_id"`
	Route     string `json:"route"`
	Model     string `json:"model"`
	// Models are other names that the request goes by: the model that the client asked for, and those that
	// may answer in its place.
	Models []string `json:"models,omitempty"`
	Key    string   `json:"key,omitempty"`
	// Body is the request, or an answer that is no stream.
	Body json.RawMessage `json:"body,omitempty"`
	// Stream says that this is a part of a stream, with Events; Sequence counts them from 0, and Final is
	// the last one.
	Stream   bool              `json:"stream,omitempty"`
	Sequence int               `json:"sequence,omitempty"`
	Final    bool              `json:"final,omitempty"`
	Events   []json.RawMessage `json:"events,omitempty"`

	// Party is the client, which takes turns with others. It is not shown.
	Party string `json:"-"`
}

// The actions of a verdict.
const (
	actionPass    = "pass"
	actionRefuse  = "refuse"
	actionReplace = "replace"
	actionMore    = "more"
)

// verdict is a guard's answer.
type verdict struct {
	Action      string            `json:"action"`
	Message     string            `json:"message"`
	Body        json.RawMessage   `json:"body"`
	Events      []json.RawMessage `json:"events"`
	Annotations map[string]string `json:"annotations"`
}

// Bounds of annotations, which go into a header.
const (
	maxAnnotations = 16
	maxAnnotation  = 256
)

// parseVerdict reads a guard's answer to a question.
func parseVerdict(text []byte, q *Question) (*verdict, error) {
	v := &verdict{}
	if err := json.Unmarshal(text, v); err != nil {
		return nil, errors.New("it is not a JSON object with the right types")
	}
	if err := v.checkAnnotations(); err != nil {
		return nil, err
	}
	switch v.Action {
	case actionPass, actionRefuse:
		return v, nil
	case actionMore:
		if !q.Stream {
			return nil, errors.New(`"more" is for parts of streams`)
		}
		return v, nil
	case actionReplace:
		return v, v.compact(q.Stream)
	}
	return nil, errors.New(`action is none of "pass", "refuse", "replace" and "more"`)
}

func (v *verdict) checkAnnotations() error {
	if len(v.Annotations) > maxAnnotations {
		return fmt.Errorf("it has more than %d annotations", maxAnnotations)
	}
	for name, text := range v.Annotations {
		if len(name) > maxAnnotation || len(text) > maxAnnotation {
			return fmt.Errorf("an annotation has more than %d bytes", maxAnnotation)
		}
	}
	return nil
}

// compact checks what a question's body or events are replaced by, and writes each as one line.
func (v *verdict) compact(stream bool) error {
	if !stream {
		b, err := compactObject(v.Body)
		v.Body = b
		return err
	}
	for i, event := range v.Events {
		b, err := compactObject(event)
		if err != nil {
			return err
		}
		v.Events[i] = b
	}
	return nil
}

func compactObject(text []byte) ([]byte, error) {
	var out bytes.Buffer
	if err := json.Compact(&out, text); err != nil || out.Len() == 0 || out.Bytes()[0] != '{' {
		return nil, errors.New("what it replaces is not a JSON object")
	}
	return out.Bytes(), nil
}
