package aiapi_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/airouting"
	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/aiapi"
	"github.com/tuttinode/tutti/server/gateway/broker"
)

// routed gives a gateway the operator's names.
func routed(t *testing.T, file string, also func(*aiapi.Options)) func(*aiapi.Options) {
	t.Helper()
	table, err := airouting.ParseModelRoutes([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	return func(o *aiapi.Options) {
		o.Routes = func() *airouting.ModelRoutes { return table }
		if also != nil {
			also(o)
		}
	}
}

const routingFile = `{"models": {
	"mini": {"model": "m/llama", "parameters": {"temperature": 0.5, "seed": 1}, "fallbacks": ["m/other", "m/third"],
		"longer": ["m/long"]},
	"gone": {"model": "m/gone"}
}}`

// tooLong is how model servers refuse a request that is longer than a model's context.
const tooLong = `{"error":{"message":"This model's maximum context length is 16 tokens.",` +
	`"code":"context_length_exceeded"}}`

// refuses is a refusal by a model server.
func refuses(body string) *broker.Answer {
	a := reply("application/json", io.NopCloser(strings.NewReader(body)))
	a.Status = http.StatusBadRequest
	return a
}

// byModel answers with a chat, but for models that have another outcome here: a refusal, or a code.
func byModel(outcomes map[string]string) func(context.Context, *inference.Job) (*broker.Answer, error) {
	return func(ctx context.Context, job *inference.Job) (*broker.Answer, error) {
		switch o := outcomes[job.Model.ID]; {
		case o == "":
			return says(chatAnswer)(ctx, job)
		case strings.HasPrefix(o, "{"):
			return refuses(o), nil
		default:
			return nil, fault.New(fault.Code(o), "do", "the text of "+o)
		}
	}
}

func TestTargets(t *testing.T) {
	t.Parallel()
	const end = `"messages":[{"role":"user","content":"hi"}],"max_tokens":16}`
	for name, tt := range map[string]struct {
		body     string
		outcomes map[string]string
		// asked are the models that are asked.
		asked  string
		status int
		text   string
	}{
		"an alias": {`{"model":"mini",` + end, nil, "m/llama", 200, `hello`},
		"no alias": {`{"model":"m/llama",` + end, nil, "m/llama", 200, `hello`},
		"fallbacks": {`{"model":"mini",` + end,
			map[string]string{"m/llama": "ModelUnknown", "m/other": "OrchestratorsFull"}, "m/llama m/other m/third",
			200, "hello"},
		"too long": {`{"model":"mini",` + end, map[string]string{"m/llama": tooLong}, "m/llama m/long", 200, "hello"},
		"too long for all": {`{"model":"mini",` + end, map[string]string{"m/llama": tooLong, "m/long": tooLong},
			"m/llama m/long", 400, "16 tokens"},
		"too long, and no longer one": {`{"model":"mini",` + end,
			map[string]string{"m/llama": tooLong, "m/long": "ModelUnknown"}, "m/llama m/long", 400, "16 tokens"},
		"another refusal": {`{"model":"mini",` + end, map[string]string{"m/llama": `{"error":{"message":"no tools"}}`},
			"m/llama", 400, "no tools"},
		"a fallback refuses": {`{"model":"mini",` + end,
			map[string]string{"m/llama": "ModelUnknown", "m/other": `{"error":{"message":"no tools"}}`}, "m/llama m/other", 400,
			"no tools"},
		"none can": {`{"model":"mini",` + end,
			map[string]string{"m/llama": "ModelUnknown", "m/other": "JobLate", "m/third": "JobFailed"},
			"m/llama m/other m/third", 404, "the text of ModelUnknown"},
		"the request's own list": {`{"model":"gone","models":["gone","x/y","mini"],` + end,
			map[string]string{"m/gone": "ModelUnknown", "x/y": tooLong}, "m/gone x/y m/llama", 200, "hello"},
		"no fallback of this machine's fault": {`{"model":"mini",` + end, map[string]string{"m/llama": "Unexpected"},
			"m/llama", 500, ""},
		"no list": {`{"model":"mini","models":"m/llama",` + end, nil, "", 400, `"param":"models"`},
		"a long list": {`{"model":"mini","models":[` + strings.Repeat(`"a",`, 16) + `"b"],` + end, nil, "", 400,
			`at most 16 names`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := start(t, routed(t, routingFile, nil)).serve()
			n.broker.answer = byModel(tt.outcomes)
			g := n.post("/v1/chat/completions", tt.body)
			if g.status != tt.status || !strings.Contains(g.body, tt.text) {
				t.Errorf("%d %s", g.status, g.body)
			}
			var asked []string
			for _, job := range n.broker.jobs {
				asked = append(asked, job.Model.ID)
				if !strings.Contains(string(job.Body), `"model":"`+job.Model.ID+`"`) ||
					strings.Contains(string(job.Body), "models") {
					t.Errorf("%s gets %s", job.Model.ID, job.Body)
				}
			}
			if got := strings.Join(asked, " "); got != tt.asked {
				t.Errorf("asked %s, want %s", got, tt.asked)
			}
		})
	}
}

// An alias's parameters are added to what a request has, and answers name the alias.
func TestAlias(t *testing.T) {
	t.Parallel()
	n := start(t, routed(t, routingFile, nil)).serve()
	n.broker.answer = says(strings.Replace(chatAnswer, `"id":"c"`, `"id":"c","model":"/srv/llama.gguf"`, 1))
	g := n.post("/v1/chat/completions", `{"messages":[{"role":"user","content":"hi"}],"model":"mini","seed":7}`)
	if g.status != http.StatusOK || !strings.Contains(g.body, `"model":"mini"`) {
		t.Errorf("%d %s", g.status, g.body)
	}
	job, hint := n.broker.last(t)
	const want = `{"model":"m/llama","messages":[{"role":"user","content":"hi"}],"seed":7,"temperature":0.5}`
	if string(job.Body) != want || !hint.NeedsOwnNode {
		t.Errorf("sent %s, needs own node %v", job.Body, hint.NeedsOwnNode)
	}
	if f := n.figures.only(t); f.Model.ID != "m/llama" {
		t.Errorf("counted for %s", f.Model.ID)
	}
	n.broker.answer = streams(io.EOF, strings.Replace(event1, `"choices"`, `"model":"x","choices"`, 1), lastEvent, done)
	g = n.post("/v1/chat/completions", `{"messages":[{"role":"user","content":"hi"}],"model":"mini","stream":true}`)
	if !strings.Contains(g.body, `"model":"mini"`) || !strings.HasSuffix(g.body, done) {
		t.Errorf("%s", g.body)
	}
}

// A key names what clients ask for: an alias includes its fallbacks, and a list has to be allowed whole.
func TestKeysOfNames(t *testing.T) {
	t.Parallel()
	n := start(t, routed(t, routingFile, withKey(apikeys.Limits{Models: []string{"mini"}}))).serve()
	n.broker.answer = byModel(map[string]string{"m/llama": "OrchestratorsFull"})
	for body, status := range map[string]int{
		`{"model":"mini",`:                     http.StatusOK,
		`{"model":"m/llama",`:                  http.StatusForbidden,
		`{"model":"mini","models":["m/else"],`: http.StatusForbidden,
	} {
		g := n.post("/v1/chat/completions", body+`"messages":[{"role":"user","content":"hi"}],"max_tokens":16}`,
			"Authorization", "Bearer "+token)
		if g.status != status {
			t.Errorf("%s: %d %s", body, g.status, g.body)
		}
	}
	n.broker.models = []inference.ModelState{
		{Model: inference.Model{Capability: capability.LLM, ID: "m/llama"}, State: inference.Ready, Context: 4096},
	}
	n.get("/v1/models", "Authorization", "Bearer "+token).want(t, http.StatusOK, `{"object":"list","data":[{"id":"mini",`+
		`"object":"model","created":0,"owned_by":"m","pipeline":"llm",`+
		`"alias_of":"m/llama","warm":true,"context_length":4096,"architecture":`+
		`{"input_modalities":["text"],"output_modalities":["text"]}}]}`+
		"\n")
	n.settled()
}

// byModelHook is a webhook that decides by the model alone.
type byModelHook struct{}

func (byModelHook) Decide(_ context.Context, _ string, need apikeys.Need) (apikeys.Key, error) {
	if need.Model != "mini" {
		return apikeys.Key{}, fault.New(fault.KeyDenied, "test", "not this model")
	}
	return apikeys.Key{}, nil
}

// A webhook that decides by the model gets a request about each model that a request names.
func TestAWebhookIsAskedAboutEachModel(t *testing.T) {
	t.Parallel()
	n := start(t, routed(t, routingFile, func(o *aiapi.Options) {
		o.Keys = apikeys.New(apikeys.Options{Decider: byModelHook{}, Now: time.Now})
	})).serve()
	n.broker.answer = says(chatAnswer)
	for body, status := range map[string]int{
		`{"model":"mini",`:                     http.StatusOK,
		`{"model":"m/else",`:                   http.StatusForbidden,
		`{"model":"mini","models":["m/else"],`: http.StatusForbidden,
	} {
		g := n.post("/v1/chat/completions", body+`"messages":[{"role":"user","content":"hi"}],"max_tokens":16}`,
			"Authorization", "Bearer "+token)
		if g.status != status {
			t.Errorf("%s: %d %s", body, g.status, g.body)
		}
	}
}

// What refused attempts cost counts for the key besides the answer, within what was reserved.
func TestBilledRefusals(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	budget := apikeys.Budget{Tokens: 1000, Period: apikeys.Total}
	n := start(t, routed(t, routingFile, withKey(apikeys.Limits{Budget: budget}))).serve()
	n.broker.answer = func(ctx context.Context, job *inference.Job) (*broker.Answer, error) {
		a := refuses(tooLong)
		if asked.Add(1) > 1 {
			a, _ = says(chatAnswer)(ctx, job)
		}
		a.Billed = 7
		return a, nil
	}
	g := n.post("/v1/chat/completions", `{"model":"mini","messages":[{"role":"user","content":"hi"}],"max_tokens":16}`,
		"Authorization", "Bearer "+token)
	if g.status != http.StatusOK || asked.Load() != 2 {
		t.Fatalf("%d %s, asked %d", g.status, g.body, asked.Load())
	}
	if used := n.settled().Usage.Used; used != 3+14 {
		t.Errorf("the budget counts %d, want what was paid twice", used)
	}
}
