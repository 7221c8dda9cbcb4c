package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const maxBody = 1 << 20

// runner is the fake runner's state.
type runner struct {
	ready time.Time
	die   chan struct{}
	once  sync.Once

	mu     sync.Mutex // covers health
	health string
}

func newRunner() *runner {
	r := &runner{ready: time.Now().Add(duration("FAKE_LOAD")), die: make(chan struct{}), health: os.Getenv("FAKE_HEALTH")}
	if r.health == "" {
		r.health = "OK"
	}
	return r
}

func (r *runner) routes() http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) { answer(w, object{"status": r.status()}) })
	m.HandleFunc("GET /version", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, r.named("version", otherwise(os.Getenv("FAKE_VERSION"), "0.14.1")))
	})
	m.HandleFunc("GET /hardware/info",
		func(w http.ResponseWriter, _ *http.Request) { answer(w, r.named("gpu_info", object{})) })
	m.HandleFunc("GET /hardware/stats",
		func(w http.ResponseWriter, _ *http.Request) { answer(w, r.named("gpu_stats", object{})) })
	m.HandleFunc("POST /llm", r.llm)
	m.HandleFunc("POST /__die", func(http.ResponseWriter, *http.Request) { r.once.Do(func() { close(r.die) }) })
	m.HandleFunc("POST /__eat", func(_ http.ResponseWriter, q *http.Request) {
		b, _ := io.ReadAll(io.LimitReader(q.Body, 64))
		n, _ := strconv.Atoi(string(b))
		eat(n)
	})
	m.HandleFunc("POST /__health", func(_ http.ResponseWriter, q *http.Request) {
		b, _ := io.ReadAll(io.LimitReader(q.Body, 64))
		r.mu.Lock()
		defer r.mu.Unlock()
		r.health = string(b)
	})
	return m
}

type object map[string]any

func otherwise(s, instead string) string {
	if s == "" {
		return instead
	}
	return s
}

func (r *runner) status() string {
	if time.Now().Before(r.ready) {
		return "LOADING"
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.health
}

func (r *runner) named(key string, value any) object {
	return object{"pipeline": os.Getenv("PIPELINE"), "model_id": os.Getenv("MODEL_ID"), key: value}
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

func refuse(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(object{"detail": object{"msg": text}})
}

// request is what of an llm request matters here.
type request struct {
	Model     string
	Messages  []struct{ Role, Content string }
	MaxTokens int `json:"max_tokens"`
	Stream    bool
}

func (r *runner) llm(w http.ResponseWriter, q *http.Request) {
	in := request{MaxTokens: 256}
	if err := json.NewDecoder(io.LimitReader(q.Body, maxBody)).Decode(&in); err != nil || len(in.Messages) == 0 {
		refuse(w, http.StatusUnprocessableEntity, "messages wanted")
		return
	}
	have := os.Getenv("MODEL_ID")
	if in.Model != "" && in.Model != have {
		refuse(w, http.StatusBadRequest, fmt.Sprintf("pipeline configured with %s but called with %s", have, in.Model))
		return
	}
	// The network's runner says stop also where max_tokens cut the answer.
	a := reply{id: "chatcmpl-fake", model: have, words: min(number("FAKE_WORDS", 8), in.MaxTokens), finish: "stop"}
	for _, m := range in.Messages {
		a.prompt += len(strings.Fields(m.Content))
	}
	if in.Stream {
		a.stream(w, q)
		return
	}
	answer(w, a.whole())
}
