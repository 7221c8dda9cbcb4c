package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
)

// model is the model that the stand-in serves.
const model = "bench/model"

// modelServer is an OpenAI-compatible server that answers at once, so that what is
// measured is the way and not the model.
type modelServer struct {
	url    string
	server *http.Server
	done   chan error
}

func startModel() (*modelServer, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"status":"ok"}`) })
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, fmt.Sprintf(`{"object":"list","data":[{"id":%q,"object":"model","owned_by":"llamacpp"}]}`, model))
	})
	mux.HandleFunc("GET /props", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, `{"total_slots":4096,"default_generation_settings":{"n_ctx":8192}}`)
	})
	mux.HandleFunc("POST /v1/chat/completions", complete)
	m := &modelServer{url: "http://" + l.Addr().String(), server: &http.Server{Handler: mux}, done: make(chan error, 1)}
	go func() { m.done <- m.server.Serve(l) }()
	return m, nil
}

func (m *modelServer) stop() error {
	err := m.server.Close()
	if served := <-m.done; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

func writeJSON(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprint(w, text)
}

const answer = `{"id":"chatcmpl-1","object":"chat.completion","created":1700000000,"model":"` + model + `",` +
	`"choices":[{"index":0,"message":{"role":"assistant","content":"one two three four"},"finish_reason":"stop"}],` +
	`"usage":{"prompt_tokens":9,"completion_tokens":4,"total_tokens":13}}`

// events are a stream of a few chunks.
const events = `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"` + model +
	`","choices":[{"index":0,"delta":{"role":"assistant","content":"one"},"finish_reason":null}]}

data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,` +
	`"model":"` + model + `","choices":[{"index":0,"delta":{"content":" two"},"finish_reason":null}]}

data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,` +
	`"model":"` + model + `","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,` +
	`"completion_tokens":2,"total_tokens":11}}

data: [DONE]

`

func complete(w http.ResponseWriter, r *http.Request) {
	var want struct {
		Stream bool `json:"stream"`
	}
	if err := json.NewDecoder(r.Body).Decode(&want); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if !want.Stream {
		writeJSON(w, answer)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprint(w, events)
}

// modelsFile is a models file that names the stand-in at a price in wei a token.
func (w *world) modelsFile(price int64) (string, error) {
	text, err := json.Marshal([]map[string]any{{
		"pipeline": "llm", "model_id": model, "warm": true, "price_per_unit": price, "pixels_per_unit": 1,
		"url": w.model.url, "capacity": 4096,
	}})
	if err != nil {
		return "", err
	}
	path := filepath.Join(w.dir, fmt.Sprintf("models-%d.json", price))
	return path, os.WriteFile(path, text, 0o600)
}
