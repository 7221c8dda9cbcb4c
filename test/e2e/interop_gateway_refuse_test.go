package e2e

import (
	"bytes"
	"encoding/base64"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/test/pipelines"
)

// refusal is one way in which a job goes wrong, and what the network's gateways
// must be told.
type refusal struct {
	name string
	// model is llm's when "".
	model  string
	change func(*foreignJob)
	runner http.HandlerFunc
	status int
	// text is the whole answer, begins its beginning.
	text, begins string
}

// TestForeignGatewayRefusals is the network's table of what can be wrong with a
// job, in its order. Gateways go by status and words.
func TestForeignGatewayRefusals(t *testing.T) {
	t.Parallel()
	n := startPipelines(t)
	g := newForeignGateway(t, n.orch)
	for version := range g.http {
		for _, row := range refusals(t) {
			name := row.model
			if name == "" {
				name = "llm"
			}
			m := pipelineModel(t, name)
			ask := func() (*http.Response, []byte) {
				j := g.anyJob(m)
				if row.change != nil {
					row.change(j)
				}
				n.runner.Does(name, row.runner)
				return g.answered(version, j)
			}
			n.node.Wait(m.ID+" to be ready", harnessTime, func() bool { return model(t, n.orch, m.ID).State == "ready" })
			res, body := ask()
			// A runner that said twice that it is busy is left alone for a moment.
			n.node.Wait("the runner's rest to be over", harnessTime, func() bool {
				rests := res.StatusCode == http.StatusServiceUnavailable && row.status != res.StatusCode
				if rests {
					res, body = ask()
				}
				return !rests
			})
			n.runner.Does(name, nil)
			text := string(body)
			if res.StatusCode != row.status || row.begins == "" && text != row.text+"\n" ||
				!strings.HasPrefix(text, row.begins) || strings.Count(text, "\n") != 1 {
				t.Errorf("%s, %s: %d %q, want %d %q", version, row.name, res.StatusCode, text, row.status, row.text+row.begins)
			}
			if kind := res.Header.Get("Content-Type"); !strings.HasPrefix(kind, "text/plain") {
				t.Errorf("%s, %s: content type %q", version, row.name, kind)
			}
		}
	}
	for _, name := range []string{"llm", "text-to-image", "audio-to-text"} {
		checkIdle(t, n.node, n.orch, pipelines.Model(name))
	}
}

func (g *foreignGateway) anyJob(m inference.Model) *foreignJob {
	g.t.Helper()
	switch m.Capability.Pipeline() {
	case "llm":
		return g.chat(m, 5, false)
	case "audio-to-text":
		contentType, body := written(g.t, part{"audio", pipelines.WAV(8000, 16000)},
			map[string]string{"model_id": m.ID, "metadata": `{"duration":"2"}`})
		return g.job(m, contentType, body)
	}
	return g.mediaJob(m)
}

func refusals(t *testing.T) []refusal {
	body := func(contentType string, text []byte) func(*foreignJob) {
		return func(j *foreignJob) {
			j.Body, j.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
			j.GetBody = nil
			j.Header.Set("Content-Type", contentType)
		}
	}
	object := func(text string) func(*foreignJob) { return body("application/json", []byte(text)) }
	file := func(name string, data []byte, fields map[string]string) func(*foreignJob) {
		contentType, text := written(t, part{name, data}, fields)
		return body(contentType, text)
	}
	segment := func(change func(*rpc.SegData)) func(*foreignJob) {
		return func(j *foreignJob) { change(j.segment); j.seal() }
	}
	header := func(name, value string) func(*foreignJob) { return func(j *foreignJob) { j.Header.Set(name, value) } }
	garbage := base64.StdEncoding.EncodeToString([]byte{0xff, 0xff, 0xff})
	const hi = `"messages":[{"role":"user","content":"hi"}]`
	llm := pipelines.Model("llm")
	return []refusal{
		{name: "the method", change: func(j *foreignJob) { j.Method, j.Body, j.ContentLength = http.MethodGet, nil, 0 },
			status: 405, text: "Method Not Allowed"},
		{name: "the path", change: func(j *foreignJob) { j.URL.Path = "/no-pipeline" }, status: 404,
			text: "404 page not found"},
		{name: "the body", change: object("{"), status: 400, begins: "a field's name was expected"},
		{name: "no messages", change: object(`{"model":"` + llm + `","max_tokens":5}`), status: 400,
			begins: "messages: the field is missing"},
		{name: "no model", change: object(`{"max_tokens":5,` + hi + `}`), status: 400, text: "model not specified"},
		{name: "no form", model: "upscale", change: object("{}"), status: 400,
			begins: "the content type is not multipart/form-data"},
		{name: "too much", change: object(`{"x":"` + strings.Repeat(" ", 32<<20) + `"}`), status: 413,
			text: "request body is too large"},

		{name: "payment, base64", change: header("Livepeer-Payment", "!"), status: 402, begins: "base64 decode error: "},
		{name: "payment, protobuf", change: header("Livepeer-Payment", garbage), status: 402,
			begins: "protobuf unmarshal error: "},

		{name: "segment, base64", change: header("Livepeer-Segment", "!"), status: 403, text: "ErrorSegEncoding"},
		{name: "segment, protobuf", change: header("Livepeer-Segment", garbage), status: 403,
			begins: "protobuf unmarshal error"},
		{name: "no segment", change: func(j *foreignJob) { j.Header.Del("Livepeer-Segment") }, status: 403,
			text: "missing auth token"},
		{name: "duration", change: segment(func(s *rpc.SegData) { s.Duration = -1 }), status: 403, text: "invalid duration"},
		{name: "capabilities", change: segment(func(s *rpc.SegData) { s.Capabilities.Bitstring[0] |= 1 << 35 }), status: 403,
			text: "incompatible capabilities"},
		{name: "a model of nobody's", change: segment(func(s *rpc.SegData) {
			models := s.Capabilities.Constraints.PerCapability[33].Models
			models["who/knows"] = models[llm]
		}), status: 403, text: "incompatible capabilities"},
		{name: "no token", change: segment(func(s *rpc.SegData) { s.AuthToken = nil }), status: 403,
			text: "missing auth token"},
		{name: "another's token", change: header("Livepeer-Segment", recordedJob(t)), status: 403,
			text: "incompatible capabilities"},
		{name: "a changed token", change: segment(func(s *rpc.SegData) { s.AuthToken.Token[0] ^= 1 }), status: 403,
			text: "invalid auth token"},
		{name: "another session's token", change: segment(func(s *rpc.SegData) { s.AuthToken.SessionId = "0011aabb" }),
			status: 403, text: "invalid auth token"},
		{name: "a longer life", change: segment(func(s *rpc.SegData) { s.AuthToken.Expiration += 3600 }), status: 403,
			text: "invalid auth token"},

		{name: "no max_tokens", change: object(`{"model":"` + llm + `",` + hi + `}`), status: 400,
			text: "MaxTokens not specified"},
		{name: "no image", model: "upscale",
			change: file("image", []byte("text"), map[string]string{"prompt": "x", "model_id": pipelines.Model("upscale")}),
			status: 400, begins: "image: unknown format"},
		{name: "no sound", model: "audio-to-text",
			change: file("audio", []byte("text"), map[string]string{"model_id": pipelines.Model("audio-to-text")}), status: 400,
			text: "Unable to calculate duration"},

		{name: "a model that is not configured", change: object(`{"model":"who/knows","max_tokens":5,` + hi + `}`),
			status: 503, text: "insufficient capacity"},

		{name: "the runner's 400",
			runner: replies(400, "application/json", `{"detail":{"msg":"temperature must be at most 2"}}`), status: 500,
			text: "LLM container returned 400: temperature must be at most 2"},
		{name: "the runner's schema", runner: replies(422, "application/json",
			`{"detail":[{"loc":["body","seed"],"msg":"not an integer","type":"x"}]}`), status: 500,
			text: "LLM container returned 400: seed: not an integer", model: ""},
		{name: "the runner's defect", runner: replies(500, "application/json", `{"detail":{"msg":"LLM pipeline error."}}`),
			status: 500, text: "LLM container returned 500: LLM pipeline error."},
		{name: "the GPU's memory", model: "text-to-image",
			runner: replies(500, "application/json", `{"detail":{"msg":"GPU out of memory."}}`), status: 500,
			text: "text-to-image container returned 500: GPU out of memory."},
		{name: "an image's mistake", model: "text-to-image",
			runner: replies(400, "application/json", `{"detail":{"msg":"too wide"}}`), status: 500,
			text: "text-to-image container returned 400: too wide"},
		{name: "the runner is busy", runner: replies(503, "application/json", `{"detail":{"msg":"busy"}}`), status: 503,
			text: "insufficient capacity"},
		{name: "no JSON", runner: replies(200, "application/json", "<html>"), status: 500,
			begins: "the runner's answer cannot be used"},
		{name: "a runner that dies", model: "text-to-image",
			runner: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, status: 500,
			begins: "text-to-image container cannot be reached"},
	}
}
