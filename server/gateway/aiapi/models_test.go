package aiapi_test

import (
	"fmt"
	"math/big"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/aiapi"
)

func TestModels(t *testing.T) {
	t.Parallel()
	n := start(t, func(o *aiapi.Options) {
		withKey(apikeys.Limits{Models: []string{"m/*"}})(o)
		o.WeiPerUSD = dollar
	}).serve()
	llm := func(id string) inference.Model { return inference.Model{Capability: capability.LLM, ID: id} }
	n.broker.models = []inference.ModelState{
		{Model: llm("m/llama"), State: inference.Absent, Context: 4096, Capacity: 2, Since: time.Unix(200, 0),
			Operations: []inference.Operation{inference.Chat},
			Features:   inference.Features{Has: inference.Vision | inference.Logprobs, Lacks: inference.Tools},
			Prices:     &inference.PriceRange{Low: big.NewRat(5e8, 1), High: big.NewRat(1e9+1, 2)}},
		{Model: inference.Model{Capability: capability.TextToImage, ID: "m/sd"}, State: inference.Ready},
		{Model: llm("m/llama"), State: inference.Ready, Warm: true, Context: 8192, Capacity: 4, Since: time.Unix(100, 0),
			Operations: []inference.Operation{inference.Chat, inference.Embedding},
			Features:   inference.Features{Has: inference.Tools | inference.AudioInput | inference.JSONSchema},
			Prices:     &inference.PriceRange{Low: big.NewRat(4e8, 1), High: big.NewRat(4e8, 1)}},
		{Model: llm("other"), State: inference.Ready},
		{Model: llm("m/broken"), State: inference.Failed},
	}
	const llama = `{"id":"m/llama","object":"model","created":100,"owned_by":"m","pipeline":"llm","warm":true,` +
		`"context_length":8192,"capacity":6,"operations":["chat","embedding"],` +
		`"supported_parameters":["tools","tool_choice","response_format","structured_outputs","logprobs","top_logprobs"],` +
		`"architecture":{"input_modalities":["text","image","audio"],"output_modalities":["text","embeddings"]},` +
		`"pricing":{"prompt":"0","completion":"0.0000004"},"price_wei":{"low":"400000000","high":"1000000001/2"}}`
	const key = "Bearer " + token
	n.get("/v1/models", "Authorization", key).want(t, http.StatusOK,
		`{"object":"list","data":[`+llama+
			`,{"id":"m/sd","object":"model","created":0,"owned_by":"m","pipeline":"text-to-image","warm":true,"architecture":`+
			`{"input_modalities":["text"],"output_modalities":["image"]}}]}`+"\n")
	n.get("/v1/models/m/llama", "Authorization", key).want(t, http.StatusOK, llama+"\n")
	const unknown = `no orchestrator offers the model \"%s\"; GET /v1/models lists those that are offered`
	for _, id := range []string{"other", "none", "m/broken", "m%2Fother"} {
		unknown := fmt.Sprintf(unknown, strings.ReplaceAll(id, "%2F", "/"))
		n.get("/v1/models/"+id, "Authorization", key).want(t, http.StatusNotFound,
			object(unknown, "invalid_request_error", "model_not_found"))
	}
	n.get("/v1/models/m%2Fllama", "Authorization", key).want(t, http.StatusOK, llama+"\n")
	n.broker.err = fault.New(fault.NoOrchestratorReachable, "", "nobody")
	n.get("/v1/models", "Authorization", key).want(t, http.StatusServiceUnavailable,
		object("nobody", "server_error", "NoOrchestratorReachable"))
	if len(n.figures.done) != 0 {
		t.Error("a list of models was counted as a job")
	}
	n.settled()
}

func TestNoModels(t *testing.T) {
	t.Parallel()
	n := start(t, nil).serve()
	n.get("/v1/models").want(t, http.StatusOK, `{"object":"list","data":[]}`+"\n")
}

func TestNewNeedsADispatcher(t *testing.T) {
	t.Parallel()
	if _, err := aiapi.New(aiapi.Options{}); fault.CodeOf(err) != fault.MissingOption {
		t.Errorf("got %v", err)
	}
}

// Results that are not fetched expire.
func TestResultsAreForgotten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := start(t, nil)
		n.broker.answer = says(`{"images":[{"url":"` + dataURL(picture(t)) + `"}]}`)
		first := n.local(http.MethodPost, "/text-to-image", `{"prompt":"x"}`)
		path := resultURL.FindStringSubmatch(first.body)[1]
		<-time.After(9 * time.Minute)
		if g := n.local(http.MethodGet, path, ""); g.status != http.StatusOK {
			t.Errorf("too early: status %d", g.status)
		}
		<-time.After(2 * time.Minute)
		synctest.Wait()
		if g := n.local(http.MethodGet, path, ""); g.status != http.StatusNotFound {
			t.Errorf("too late: status %d", g.status)
		}
	})
}
