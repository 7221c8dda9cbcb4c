package orchestrator_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/rpc"
)

const plainAnswer = `{"id":"i","model":"m","created":5,"usage":{"prompt_tokens":3,"completion_tokens":2,` +
	`"total_tokens":5},"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"my secret ` +
	`answer"}}]}`

// TestJobRefusals is the network's table of what can be wrong with a job, over
// both versions of HTTP: status and text are compared by gateways.
func TestJobRefusals(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, client func(*aiNode) *http.Client) {
		a := newAINode(t, func(s *setup) { s.rules.JobWait = 10 * time.Millisecond })
		a.says(200, "application/json", plainAnswer)
		edit := func(change func(*rpc.SegData)) func(*http.Request) {
			return func(r *http.Request) {
				m := segData(t, r.Header.Get("Livepeer-Segment"))
				change(m)
				r.Header.Set("Livepeer-Segment", b64(m))
			}
		}
		image := capability.ImageToText
		for _, tc := range []struct {
			name   string
			req    func() *http.Request
			change func(*http.Request)
			before func()
			status int
			text   string
		}{
			{"method", nil, func(r *http.Request) { r.Method = http.MethodGet; r.Body = nil; r.ContentLength = 0 }, nil, 405,
				"Method Not Allowed"},
			{"path", nil, func(r *http.Request) { r.URL.Path = "/llm/" }, nil, 404, "404 page not found"},
			{"body", func() *http.Request { return a.job(llama, "application/json", strings.NewReader("{")) }, nil, nil, 400,
				"a field's name was expected at byte 1"},
			{"no model", func() *http.Request {
				return a.job(llama, "application/json", strings.NewReader(`{"max_tokens":1,"messages":[{"role":"user",`+
					`"content":"x"}]}`))
			}, nil, nil, 400, "model not specified"},
			{"payment's base64", nil, func(r *http.Request) { r.Header.Set("Livepeer-Payment", "!") }, nil, 402,
				"base64 decode error: illegal base64 data at input byte 0"},
			{"segment's base64", nil, func(r *http.Request) { r.Header.Set("Livepeer-Segment", "!") }, nil, 403,
				"ErrorSegEncoding"},
			{"no segment", nil, func(r *http.Request) { r.Header.Del("Livepeer-Segment") }, nil, 403, "missing auth token"},
			{"capabilities", nil, edit(func(m *rpc.SegData) { m.Capabilities.Bitstring = []uint64{1 << 35} }), nil, 403,
				"incompatible capabilities"},
			{"another model", nil, edit(func(m *rpc.SegData) {
				m.Capabilities = rpc.FromCapabilities(wanted(inference.Model{Capability: capability.LLM, ID: "x"}))
			}), nil, 403, "incompatible capabilities"},
			{"no token", nil, edit(func(m *rpc.SegData) { m.AuthToken = nil }), nil, 403, "missing auth token"},
			{"wrong token", nil, edit(func(m *rpc.SegData) { m.AuthToken.Token[0] ^= 1 }), nil, 403, "invalid auth token"},
			{"no max_tokens", func() *http.Request { return a.chat(`"stream":true`) }, nil, nil, 400, "MaxTokens not specified"},
			{"no image", func() *http.Request {
				ct, body := form("image", []byte("x"), "model_id", "m")
				return a.job(inference.Model{Capability: image, ID: "m"}, ct, bytes.NewReader(body))
			}, nil, nil, 400, "image: unknown format"},
			{"no sound", func() *http.Request {
				ct, body := form("audio", []byte("x"), "model_id", "m")
				return a.job(inference.Model{Capability: capability.AudioToText, ID: "m"}, ct, bytes.NewReader(body))
			}, nil, nil, 400, "Unable to calculate duration"},
			{"no slot", nil, nil, func() { a.worker.Set(llama, func(s *inference.ModelState) { s.Capacity = 0 }) }, 503,
				"insufficient capacity"},
			{"no model to run", nil, nil, func() {
				a.worker.Set(llama, func(s *inference.ModelState) {
					s.Capacity, s.State, s.Code, s.Reason = 2, inference.Failed, fault.ContainerOOM, "container llm_1 is out of memory"
				})
			}, 503, "insufficient capacity"},
			{"runner gone", nil, nil, func() {
				a.worker.Set(llama, func(s *inference.ModelState) { s.State = inference.Ready })
				a.worker.Answer = nil
			}, 500, "connection refused"},
			{"runner busy", nil, nil, func() { a.fails(fault.RunnerBusy, "429") }, 503, "insufficient capacity"},
			{"runner cannot", nil, nil, func() { a.fails(fault.OperationUnsupported, "it only chats") }, 500,
				"LLM container returned 400: it only chats"},
			{"our defect", nil, nil, func() { a.fails(fault.Unexpected, "") }, 500, "Internal Server Error"},
			{"client's mistake", nil, nil, func() {
				a.says(422, "application/json",
					`{"detail":[{"loc":["x"],"msg":"field required"}]}`)
			}, 500,
				"LLM container returned 400: x: field required"},
			{"client's mistake, OpenAI", nil, nil, func() {
				a.says(400, "application/json",
					`{"error":{"message":"too\nlong"}}`)
			}, 500,
				"LLM container returned 400: too long"},
			{"client's mistake, text", nil, nil, func() { a.says(413, "text/plain", ` huge `) }, 500,
				"LLM container returned 400: huge"},
			{"no JSON", nil, nil, func() { a.says(200, "application/json", `<html>`) }, 500,
				"the runner's answer cannot be used: an object was expected at byte 0"},
		} {
			if tc.before != nil {
				tc.before()
			}
			req := a.chat(`"max_tokens":10`)
			if tc.req != nil {
				req = tc.req()
			}
			if tc.change != nil {
				tc.change(req)
			}
			res, body := do(t, client(a), req)
			t.Log(tc.name)
			wantText(t, res, body, tc.status, tc.text)
			a.free()
		}
	})
}

// fails has the worker refuse every job.
func (a *aiNode) fails(code fault.Code, detail string) {
	a.worker.Answer = func(context.Context, *inference.Job) (*inference.Reply, error) {
		return nil, fault.New(code, "run", detail)
	}
}

func TestChat(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, client func(*aiNode) *http.Client) {
		a := newAINode(t)
		var got *inference.Job
		a.worker.Answer = func(_ context.Context, job *inference.Job) (*inference.Reply, error) {
			got = job
			return &inference.Reply{Status: 200, ContentType: "application/json; charset=utf-8", Length: -1,
				Body: io.NopCloser(strings.NewReader(`{"choices":[{"index":0,"finish_reason":"stop","delta":null,` +
					`"message":{"role":"assistant","content":"x"}}]}`))}, nil
		}
		res, body := do(t, client(a), a.chat(`"max_tokens":10,"tools":[{"type":"function"}]`))
		if res.StatusCode != 200 || res.Header.Get("Content-Type") != "application/json" {
			t.Fatalf("%d %v %s", res.StatusCode, res.Header, body)
		}
		var out struct {
			ID, Model string
			Created   int64
			Usage     *struct{}
			Choices   []struct{ Message struct{ Content string } }
		}
		if err := json.Unmarshal(body, &out); err != nil || out.ID == "" || out.Model != llama.ID || out.Created == 0 ||
			out.Usage == nil ||
			out.Choices[0].Message.Content != "x" {
			t.Errorf("%v: %s", err, body)
		}
		// The existing network's gateways have seven fields.
		want := `{"messages":[{"role":"user","content":"my secret prompt"}],"model":"` + llama.ID +
			`","max_tokens":10,"stream":false}`
		if string(got.Body) != want || got.Units != 10 || got.Model != llama || len(got.RequestID) != 24 {
			t.Errorf("%+v", got)
		}
	})
}

// TestOwnChat: between our own nodes bytes pass as they are, in both directions.
func TestOwnChat(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, client func(*aiNode) *http.Client) {
		a := newAINode(t)
		var got *inference.Job
		status, kind, answer := 200, "application/json; charset=utf-8", ` {"choices": [ ] , "odd":1e400}`
		a.worker.Answer = func(_ context.Context, job *inference.Job) (*inference.Reply, error) {
			got = job
			return &inference.Reply{Status: status, ContentType: kind, Length: int64(len(answer)),
				Body: io.NopCloser(strings.NewReader(answer))}, nil
		}
		send := func(op, body string) (*http.Response, []byte) {
			req := asOwn(a.job(llama, "application/json", strings.NewReader(body)))
			req.Header.Set("Tutti-Operation", op)
			req.Header.Set("X-Request-Id", "req-1")
			return do(t, client(a), req)
		}
		for op, body := range map[string]string{
			"chat":       ` {"model":"` + llama.ID + `" ,"tools":[1], "messages":[{"role":"tool","content":null}]}`,
			"completion": `{"model":"` + llama.ID + `","prompt":["a","b"],"max_tokens":3}`,
			"embedding":  `{"model":"` + llama.ID + `","input":"x"}`,
		} {
			res, out := send(op, body)
			if res.StatusCode != 200 || res.Header.Get("Content-Type") != kind || string(out) != answer ||
				res.ContentLength != int64(len(answer)) {
				t.Errorf("%s: %d %v %s", op, res.StatusCode, res.Header, out)
			}
			if string(got.Body) != body || string(got.Operation) != op || got.RequestID != "req-1" ||
				res.Header.Get("X-Request-Id") != "req-1" {
				t.Errorf("%+v", got)
			}
		}
		// A runner's own words about a mistake pass too.
		status, answer = 422, `{"error":"x"}`
		res, out := send("chat", `{"model":"`+llama.ID+`","messages":[{"role":"user","content":"x"}]}`)
		if res.StatusCode != 422 || string(out) != answer || res.Header.Get("Tutti-Code") != "" {
			t.Errorf("%d %v %s", res.StatusCode, res.Header, out)
		}
		res, out = send("song", `{}`)
		wantText(t, res, out, 404, "no such operation")
		a.fails(fault.RunnerBusy, "429")
		res, out = send("chat", `{"model":"`+llama.ID+`","messages":[{"role":"user","content":"x"}]}`)
		wantText(t, res, out, 503, "429")
		if res.Header.Get("Tutti-Code") != "RunnerBusy" {
			t.Error(res.Header)
		}
	})
}

// TestVectorJob sends the network's recorded credentials, with a token of ours
// in them.
func TestVectorJob(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../test/vectors/segdata.json")
	if err != nil {
		t.Fatal(err)
	}
	var v struct {
		Cases []struct {
			Name   string
			Header string `json:"livepeer_segment_header"`
		}
	}
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	a := newAINode(t)
	a.says(200, "application/json", plainAnswer)
	// The runner calls its model "m"; gateways get the name that they asked for.
	want := strings.Replace(plainAnswer, `"model":"m"`, `"model":"meta-llama/Meta-Llama-3.1-8B-Instruct"`, 1)
	found := false
	for _, c := range v.Cases {
		if !strings.HasPrefix(c.Name, "ai_llm") {
			continue
		}
		found = true
		req := a.chat(`"max_tokens":10`)
		m := segData(t, c.Header)
		m.AuthToken = segData(t, req.Header.Get("Livepeer-Segment")).AuthToken
		req.Header.Set("Livepeer-Segment", b64(m))
		if res, body := do(t, a.h2, req); res.StatusCode != 200 || string(body) != want {
			t.Errorf("%d %s", res.StatusCode, body)
		}
	}
	if !found {
		t.Error("no such vector")
	}
}

func TestGetOrchestratorForModels(t *testing.T) {
	t.Parallel()
	a := newAINode(t, func(s *setup) { s.rules.Transcoder = nil })
	ask := func(m inference.Model) *rpc.OrchestratorInfo {
		t.Helper()
		in, err := a.rpc.GetOrchestrator(t.Context(), &rpc.OrchestratorRequest{Capabilities: rpc.FromCapabilities(wanted(m))})
		if err != nil {
			t.Fatal(err)
		}
		return in
	}
	in := ask(llama)
	c := in.GetCapabilities()
	if in.GetNode() != "tutti/0.1.0" || c.GetBitstring()[0]&0x0000000204005fff != 0x0000000204005fff ||
		c.GetConstraints() == nil {
		t.Errorf("%v", in)
	}
	m := c.GetConstraints().GetPerCapability()[33].GetModels()[llama.ID]
	if !m.GetWarm() || m.GetCapacity() != 2 || m.GetCapacityInUse() != 0 {
		t.Errorf("%v", m)
	}
	offer, request := c.Capability(), wanted(llama)
	if why := capability.Mismatch(&request, &offer); why != "" {
		t.Error(why)
	}
	// A model that is not here is for the gateway to find out.
	if in := ask(inference.Model{Capability: capability.LLM, ID: "another"}); in.GetTranscoder() != a.uri {
		t.Errorf("%v", in)
	}
	// A node that does not transcode says so at once.
	_, err := a.rpc.GetOrchestrator(t.Context(),
		&rpc.OrchestratorRequest{Capabilities: &rpc.Capabilities{Bitstring: []uint64{0x1003}}})
	wantError(t, err, "Invalid orchestrator request: OrchestratorCapped")
	res, body := do(t, a.h2, a.post(meta(in.GetAuthToken(), nil), nil))
	wantText(t, res, body, 403, "OrchestratorCapped")
}

// TestNodeWithoutAI has none of the routes.
func TestNodeWithoutAI(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	req, err := http.NewRequest(http.MethodPost, n.uri+"/llm", nil)
	if err != nil {
		t.Fatal(err)
	}
	if res, _ := do(t, n.h2, req); res.StatusCode != 404 {
		t.Error(res.StatusCode)
	}
}

// TestJobLine: one line per job tells all but what was asked and answered.
func TestJobLine(t *testing.T) {
	t.Parallel()
	a := newAINode(t)
	a.says(200, "application/json", plainAnswer)
	req := a.chat(`"max_tokens":10`)
	req.Header.Set("X-Request-Id", "req-7")
	do(t, a.h2, req)
	f := a.done.last(t, 1)
	if f.Model != llama || f.Status != 200 || f.Code != "" || f.RequestID != "req-7" || f.Units != 10 ||
		f.FirstByte <= 0 || f.Total < f.FirstByte ||
		f.Usage != (inference.Usage{Prompt: 3, Completion: 2}) || f.Own <= 0 || f.Own > f.Total {
		t.Errorf("%+v", f)
	}
	a.fails(fault.RunnerBroke, "it is gone")
	do(t, a.h2, a.chat(`"max_tokens":10`))
	if f := a.done.last(t, 2); f.Status != 500 || f.Code != fault.RunnerBroke {
		t.Errorf("%+v", f)
	}
	text := a.log.String()
	if strings.Count(text, "msg=request ") != 2 || strings.Contains(text, "secret") {
		t.Errorf("log:\n%s", text)
	}
	for _, want := range []string{"job=req-7", "pipeline=llm", "model=" + llama.ID, "status=200", "tokens_in=3",
		"tokens_out=2", "units=10", "code=RunnerBroke"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in\n%s", want, text)
		}
	}
}
