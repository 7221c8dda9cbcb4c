package pipelines

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// LLM is a chat request in the only form that the network's nodes and runners
// read: these seven fields, and contents that are text.
type LLM struct {
	Messages []struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	} `json:"messages"`
	Model       string  `json:"model"`
	MaxTokens   *int    `json:"max_tokens"`
	Stream      *bool   `json:"stream"`
	Temperature float64 `json:"temperature"`
	TopP        float64 `json:"top_p"`
	TopK        int     `json:"top_k"`
}

// ReadLLM reads a chat request, and refuses one in any other form.
func ReadLLM(body []byte) (*LLM, error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	q := new(LLM)
	if err := d.Decode(q); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text behind the request")
	}
	if len(q.Messages) == 0 {
		return nil, errors.New("no messages")
	}
	return q, nil
}

// Streams reports whether events are wanted.
func (q *LLM) Streams() bool { return q.Stream != nil && *q.Stream }

// Words is the text of an answer of n words.
func Words(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(Word(i))
	}
	return b.String()
}

// Word is the i-th word of every answer.
func Word(i int) string { return fmt.Sprintf(" %d", i+1) }

// Chunk is an event of n words so far in the network's form, or with whole the
// answer as one: running usage, no "object", and "" as the reason to finish until
// the last.
func (q *LLM) Chunk(text, finish string, n int, whole bool) []byte {
	choice := map[string]any{"index": 0, "finish_reason": finish}
	part := map[string]any{"role": "assistant", "content": text}
	if whole {
		choice["message"] = part
	} else {
		choice["delta"] = part
	}
	b, _ := json.Marshal(map[string]any{ // nothing in it can fail
		"id": "chatcmpl-1", "model": q.Model, "created": 1700000000, "choices": []any{choice},
		"usage": map[string]int{"prompt_tokens": len(q.Messages), "completion_tokens": n, "total_tokens": len(q.Messages) +
			n},
	})
	return b
}

// Answer answers with so many words, as the network's nodes do.
func (q *LLM) Answer(w http.ResponseWriter, words int) {
	if !q.Streams() {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(q.Chunk(Words(words), "stop", words, true))
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for i := range words {
		q.Event(w, Word(i), "", i+1)
	}
	q.Event(w, "", "stop", words)
}

// Event sends one event of a stream.
func (q *LLM) Event(w http.ResponseWriter, text, finish string, n int) {
	_, _ = fmt.Fprintf(w, "data: %s\n\n", q.Chunk(text, finish, n, false))
	_ = http.NewResponseController(w).Flush()
}

// runnerWords is the length of the runner's answers.
const runnerWords = 5

func answerLLM(w http.ResponseWriter, body []byte) {
	q, err := ReadLLM(body)
	if err != nil {
		refuseField(w, "messages", err.Error())
		return
	}
	q.Answer(w, runnerWords)
	if q.Streams() {
		_, _ = io.WriteString(w, "data: [DONE]\n\n")
	}
}
