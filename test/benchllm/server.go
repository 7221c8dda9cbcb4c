package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// parts are the processes that this program starts itself as.
var parts = map[string]func(context.Context, []string) error{
	"server": serveModel, "proxy": serveProxy,
}

// modelID is the model that the stand-in serves.
const modelID = "bench/model"

// chunk is one event of about 170 bytes, as model servers send them.
const chunk = `data: {"id":"chatcmpl-0123456789abcdef","object":"chat.completion.chunk","created":1700000000,` +
	`"model":"` + modelID +
	`","choices":[{"index":0,"delta":{"content":" word"},"finish_reason":null}]}` + "\n\n"

const lastChunk = `data: {"id":"chatcmpl-0123456789abcdef","object":"chat.completion.chunk","created":1700000000,` +
	`"model":"` + modelID +
	`","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"

const usageChunk = `data: {"id":"chatcmpl-0123456789abcdef","object":"chat.completion.chunk","created":1700000000,` +
	`"model":"` + modelID +
	`","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":64,"total_tokens":73}}` + "\n\n"

const plainReply = `{"id":"chatcmpl-0123456789abcdef","object":"chat.completion","created":1700000000,"model":"` +
	modelID +
	`","choices":[{"index":0,"message":{"role":"assistant","content":" one two three four"},"finish_reason":"stop"}],` +
	`"usage":{"prompt_tokens":9,"completion_tokens":4,"total_tokens":13}}`

// wish is what a request says to the stand-in, in the field that clients use for
// their own ends: "<chunks> <milliseconds between them>".
type wish struct {
	Stream bool   `json:"stream"`
	User   string `json:"user"`
}

// serveModel is a model server that answers at once.
func serveModel(ctx context.Context, args []string) error {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"status":"ok"}`) })
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"object":"list","data":[{"id":%q,"object":"model","owned_by":"llamacpp"}]}`, modelID)
	})
	mux.HandleFunc("GET /props", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"total_slots":4096,"default_generation_settings":{"n_ctx":8192}}`)
	})
	mux.HandleFunc("POST /v1/chat/completions", complete)
	return listen(ctx, args[0], mux)
}

func complete(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var want wish
	if err == nil {
		err = json.Unmarshal(body, &want)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if !want.Stream {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, plainReply)
		return
	}
	chunks, pause := 64, 0
	if a, b, ok := strings.Cut(want.User, " "); ok {
		chunks, _ = strconv.Atoi(a)
		pause, _ = strconv.Atoi(b)
	}
	w.Header().Set("Content-Type", "text/event-stream")
	var tick <-chan time.Time
	if pause > 0 {
		t := time.NewTicker(time.Duration(pause) * time.Millisecond)
		defer t.Stop()
		tick = t.C
	}
	flush := http.NewResponseController(w)
	for range chunks {
		if tick != nil {
			select {
			case <-tick:
			case <-r.Context().Done():
				return
			}
		}
		if _, err := io.WriteString(w, chunk); err != nil {
			return
		}
		_ = flush.Flush()
	}
	_, _ = io.WriteString(w, lastChunk)
	_, _ = io.WriteString(w, usageChunk)
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}
