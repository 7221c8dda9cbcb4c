package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/moby/moby/client"

	"github.com/tuttinode/tutti/test/llama"
	"github.com/tuttinode/tutti/test/tinymodel"
)

// urlVariable names a model server to use instead of one of the demo's own.
const urlVariable = "LLM_URL"

// model is the text generation that the demo's node offers.
type model struct {
	id string
	// flags are what the node is started with.
	flags []string
	// how says where the model runs, for people.
	how  string
	stop func() error
}

// startModel has a model served: by the server at LLM_URL, else by a llama.cpp
// with a tiny model that counts, as a container where there is a Docker Engine and
// as a process where there is none.
func startModel(ctx context.Context, dir string) (*model, error) {
	if url := os.Getenv(urlVariable); url != "" {
		return foreignModel(ctx, dir, url)
	}
	tree, err := llama.Tree(ctx)
	if err != nil {
		return nil, err
	}
	if m, err := containedModel(ctx, dir, tree); m != nil || err != nil {
		return m, err
	}
	s, err := llama.Start(ctx, llama.Options{Tree: tree, Dir: dir, Model: counting()})
	if err != nil {
		return nil, err
	}
	m := &model{id: llama.ModelID, how: "a llama.cpp process at " + s.URL, stop: s.Stop}
	return m, m.offer(dir, entry{Model: m.id, URL: s.URL})
}

// counting is a model whose context holds what a coding assistant sends with a first question.
func counting() tinymodel.Options { return tinymodel.Options{Context: 64 << 10} }

// containedModel is nil without an error where no Docker Engine answers.
func containedModel(ctx context.Context, dir, tree string) (*model, error) {
	engine, err := client.New(client.FromEnv)
	if err != nil {
		return nil, nil
	}
	defer engine.Close()
	ping, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	if _, err := engine.Ping(ping, client.PingOptions{}); err != nil {
		return nil, nil
	}
	if err := llama.Import(ctx, engine, tree); err != nil {
		return nil, err
	}
	weights := filepath.Join(dir, "models")
	if err := os.Mkdir(weights, 0o755); err != nil {
		return nil, err
	}
	if err := llama.WriteModel(weights, counting()); err != nil {
		return nil, err
	}
	m := &model{id: llama.ModelID, how: "a container of " + llama.Image, stop: func() error { return nil }}
	m.flags = []string{"-aiModelsDir", weights}
	return m, m.offer(dir, entry{Model: m.id, Image: llama.Image})
}

// foreignModel offers the first model of an external server.
func foreignModel(ctx context.Context, dir, url string) (*model, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	text, err := get(ctx, url+"/v1/models")
	if err != nil {
		return nil, fmt.Errorf("%s names %s, which does not list its models: %w", urlVariable, url, err)
	}
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := json.Unmarshal([]byte(text), &list); err != nil || len(list.Data) == 0 {
		return nil, fmt.Errorf("%s names %s, which lists no models", urlVariable, url)
	}
	m := &model{id: list.Data[0].ID, how: "the server at " + url, stop: func() error { return nil }}
	return m, m.offer(dir, entry{Model: m.id, URL: url})
}

// entry is a model in aiModels.json.
type entry struct {
	Pipeline      string      `json:"pipeline"`
	Model         string      `json:"model_id"`
	Warm          bool        `json:"warm"`
	PricePerUnit  json.Number `json:"price_per_unit"`
	Currency      string      `json:"currency"`
	PixelsPerUnit int         `json:"pixels_per_unit"`
	URL           string      `json:"url,omitempty"`
	Image         string      `json:"image,omitempty"`
}

func (m *model) offer(dir string, e entry) error {
	e.Pipeline, e.Warm, e.PricePerUnit, e.Currency, e.PixelsPerUnit = "llm", true, "0.08", "USD", 1_000_000
	text, err := json.MarshalIndent([]entry{e}, "", "  ")
	if err != nil {
		return err
	}
	path := filepath.Join(dir, "aiModels.json")
	m.flags = append(m.flags, "-aiWorker", "-aiModels", path, "-aiAllowUnverified")
	return os.WriteFile(path, text, 0o600)
}

// awaitModel returns when the gateway offers the model.
func (n *node) awaitModel(ctx context.Context, m *model) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		if ended := n.ended(); ended != nil {
			return ended
		}
		text, err := get(ctx, n.gateway+"/v1/models")
		if err == nil {
			var list struct {
				Data []struct {
					ID string `json:"id"`
				} `json:"data"`
			}
			err = json.Unmarshal([]byte(text), &list)
			for _, have := range list.Data {
				if have.ID == m.id {
					return nil
				}
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return errors.Join(errors.New("the gateway does not offer the model within a minute"), err)
		}
	}
}

// snippets are three ways to use the model, to be pasted.
func snippets(out io.Writer, gateway, id string) {
	fmt.Fprintf(out, `  chat in a terminal:

curl -N %[1]s/v1/chat/completions -H 'Content-Type: application/json' \
  -d '{"model":"%[2]s","stream":true,"max_tokens":20,"messages":[{"role":"user","content":"Hello!"}]}'

  in Python, without packages (or with OpenAI(base_url="%[1]s/v1", api_key="none")):

import json, urllib.request
body = {"model": "%[2]s", "stream": True, "max_tokens": 20, "messages": [{"role": "user", "content": "Hello!"}]}
ask = urllib.request.Request("%[1]s/v1/chat/completions", json.dumps(body).encode(),
                             {"Content-Type": "application/json"})
for line in urllib.request.urlopen(ask):
    if line.startswith(b"data: {"):
        part = (json.loads(line[6:])["choices"] or [{}])[0]
        print(part.get("delta", {}).get("content") or "", end="", flush=True)

  in Node.js, after npm install openai:

const OpenAI = require('openai');
const client = new OpenAI({ baseURL: '%[1]s/v1', apiKey: 'none' });
client.chat.completions.create({
  model: '%[2]s', stream: true, max_tokens: 20, messages: [{ role: 'user', content: 'Hello!' }],
}).then(async (stream) => {
  for await (const part of stream) process.stdout.write(part.choices[0]?.delta?.content ?? '');
});

`, gateway, id)
}
