package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// reply is an answer of the llm pipeline: words of numbers.
type reply struct {
	id, model, finish string
	prompt, words     int
}

func word(i int) string { return fmt.Sprintf("%d ", i+1) }

func (a *reply) usage(words int) object {
	return object{"prompt_tokens": a.prompt, "completion_tokens": words, "total_tokens": a.prompt + words}
}

func (a *reply) whole() object {
	var text strings.Builder
	for i := range a.words {
		text.WriteString(word(i))
	}
	return object{"id": a.id, "model": a.model, "created": time.Now().Unix(), "usage": a.usage(a.words),
		"choices": []object{{
			"index": 0, "finish_reason": a.finish, "delta": nil,
			"message": object{"role": "assistant", "content": text.String()},
		}}}
}

// stream sends a word per event, with what was used so far in each, then the
// reason to finish.
func (a *reply) stream(w http.ResponseWriter, q *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	every, breaks := duration("FAKE_WORD_EVERY"), number("FAKE_BREAK_AFTER", -1)
	for i := range a.words {
		if i == breaks {
			_, _ = fmt.Fprint(w, "data: {\"error\":\"the fake runner breaks off\"}\n\n")
			return
		}
		select {
		case <-time.After(every):
		case <-q.Context().Done():
			fmt.Println("the client has left")
			return
		}
		a.event(w, word(i), "", a.usage(i+1))
	}
	a.event(w, "", a.finish, a.usage(a.words))
	_, _ = fmt.Fprint(w, "data: [DONE]\n\n")
}

// event is one chunk in the runner's form: message is there and null, and the
// reason to finish is empty, not null, until the last.
func (a *reply) event(w http.ResponseWriter, text, finish string, usage object) {
	b, _ := json.Marshal(object{"id": a.id, "model": a.model, "created": time.Now().Unix(), "usage": usage,
		"choices": []object{{
			"index": 0, "finish_reason": finish, "message": nil, "delta": object{"role": "assistant", "content": text},
		}}})
	_, _ = fmt.Fprintf(w, "data: %s\n\n", b)
	_ = http.NewResponseController(w).Flush()
}
