package adminview

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/admin"
)

// modelTestTime bounds a test, with the time to load a cold model; modelTestBytes bounds
// what is read of its answer.
const (
	modelTestTime  = 10 * time.Minute
	modelTestBytes = 64 << 20
)

// servedModels are the models as the admin API shows and changes them.
type servedModels struct{ p *Parts }

// modelsOf are nil on a node that has nothing to do with AI jobs.
func modelsOf(p *Parts) admin.Models {
	if p.RemoteWorkers() == nil && p.Models == nil {
		return nil
	}
	return servedModels{p}
}

// Models returns those of this machine and of others, with their prices.
func (s servedModels) Models() (out []adminapi.ServedModel) {
	prices := map[[2]string]string{}
	if s.p.Book() != nil {
		for _, l := range s.p.Prices.Book.List() {
			if l.Gateway == (core.Address{}) && l.Model.ID != "" && l.Wei != nil {
				prices[[2]string{l.Model.Pipeline(), l.Model.ID}] = l.Wei.RatString()
			}
		}
	}
	for _, m := range modelList(s).Models() {
		one := adminapi.ServedModel{ModelState: m}
		if wei, ok := prices[[2]string{m.Pipeline, m.Model}]; ok {
			one.WeiPerUnit = &wei
		}
		out = append(out, one)
	}
	return out
}

// SetWarm loads a model or unloads it.
func (s servedModels) SetWarm(name adminapi.ModelName, warm bool) error {
	state, err := s.find("load or unload a model", name)
	if err != nil {
		return err
	}
	if state.External {
		return fault.New(fault.AdminBadParam, "load or unload a model",
			state.Model.ID+" is at a server behind a url, which loads its models itself")
	}
	s.p.Models.Manager.SetWarm(state.Model, warm)
	return nil
}

// Test gives a model a small job.
func (s servedModels) Test(ctx context.Context, name adminapi.ModelName) (out adminapi.ModelTest, err error) {
	const op = "test a model"
	state, err := s.find(op, name)
	if err != nil {
		return out, err
	}
	job, err := testJob(&state)
	if err != nil {
		return out, err
	}
	ctx, cancel := context.WithTimeout(ctx, modelTestTime)
	defer cancel()
	out = adminapi.ModelTest{Pipeline: state.Model.Pipeline(), Model: state.Model.ID}
	began := time.Now()
	slot, err := s.p.Models.Manager.Reserve(ctx, state.Model, "test")
	if err != nil {
		return out, err
	}
	defer slot.Release()
	out.WaitMilliseconds = time.Since(began).Milliseconds()
	began = time.Now()
	reply, err := slot.Run(ctx, job)
	if err != nil {
		return out, err
	}
	defer reply.Body.Close()
	var start bytes.Buffer
	n, err := io.Copy(&start, io.LimitReader(reply.Body, modelTestBytes))
	if err != nil {
		return out, err
	}
	if reply.Status >= 300 {
		text := inference.RunnerText(inference.RunnerName(state.Model.Capability, !state.External), reply.Status,
			start.Bytes())
		return out, fault.New(fault.RunnerFailed, op, text)
	}
	out.Worker, out.Status, out.Bytes = reply.Worker, reply.Status, n
	out.Milliseconds = time.Since(began).Milliseconds()
	return out, nil
}

// find returns a model of this machine.
func (s servedModels) find(op string, name adminapi.ModelName) (found inference.ModelState, err error) {
	var have []string
	n := 0
	for _, m := range s.p.ModelStates() {
		have = append(have, m.Model.String())
		if m.Model.ID == name.Model && (name.Pipeline == "" || m.Model.Pipeline() == name.Pipeline) {
			found, n = m, n+1
		}
	}
	switch {
	case n == 1:
		return found, nil
	case n > 1:
		return found, fault.New(fault.AdminBadParam, op, name.Model+" has several pipelines; name one")
	case len(have) == 0:
		return found, fault.New(fault.AdminBadParam, op, "this machine has no models")
	}
	text := "this machine has no such model; it has " + strings.Join(have, ", ")
	return found, fault.New(fault.AdminBadParam, op, text)
}

// testJob returns the smallest job of a pipeline that needs no file.
func testJob(s *inference.ModelState) (*inference.Job, error) {
	var request map[string]any
	op := inference.Operation(s.Model.Pipeline())
	switch s.Model.Capability {
	case capability.LLM:
		op = inference.Chat
		request = map[string]any{"model": s.Model.ID, "max_tokens": 8,
			"messages": []any{map[string]string{"role": "user", "content": "Say OK."}}}
		switch {
		case len(s.Operations) == 0:
		case s.Operations[0] == inference.Embedding:
			op, request = inference.Embedding, map[string]any{"model": s.Model.ID, "input": "OK"}
		case s.Operations[0] == inference.Rerank:
			op = inference.Rerank
			request = map[string]any{"model": s.Model.ID, "query": "OK", "documents": []string{"OK"}}
		}
	case capability.TextToImage:
		request = map[string]any{"model_id": s.Model.ID, "prompt": "a red apple",
			"width": 512, "height": 512, "num_inference_steps": 1}
	case capability.TextToSpeech:
		request = map[string]any{"model_id": s.Model.ID, "text": "OK."}
	default:
		return nil, fault.New(fault.AdminBadParam, "test a model",
			"jobs of "+s.Model.Pipeline()+" need a file; send one through a gateway")
	}
	text, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	return &inference.Job{
		Model: s.Model, Operation: op, Body: text, ContentType: "application/json", MaxTokens: 8, Units: 1, RequestID: "test",
	}, nil
}
