package aiapi_test

import (
	"math/big"
	"net/http"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/airouting"
	"github.com/tuttinode/tutti/server/gateway/aiapi"
)

// The field `provider` reaches the choice of an orchestrator and nothing else: the request stays as plain as it is.
func TestPreferencesOfRequests(t *testing.T) {
	t.Parallel()
	known := true
	n := start(t, func(o *aiapi.Options) {
		o.WeiPerUSD = func(bool) (*big.Rat, bool) { return big.NewRat(1e15, 1), known }
	}).serve()
	n.broker.answer = says(chatAnswer)
	request := func(provider string) string {
		return `{"model":"m/llama","provider":` + provider + `,"messages":[{"role":"user","content":"hi"}],"max_tokens":16}`
	}
	g := n.post("/v1/chat/completions", request(
		`{"order":["a.example"],"sort":"price","max_price":{"completion":2},"allow_fallbacks":false}`))
	job, hint := n.broker.last(t)
	p := hint.Preferences
	if g.status != http.StatusOK || p == nil || len(p.Order) != 1 || p.Sort != airouting.ByPrice || !p.NoFallbacks ||
		p.MaxPrice.Cmp(big.NewRat(2e9, 1)) != 0 || hint.NeedsOwnNode {
		t.Errorf("%d %s: %+v", g.status, g.body, p)
	}
	if strings.Contains(string(job.Body), "provider") || !strings.Contains(string(job.Body), `"max_tokens":16`) {
		t.Errorf("sent %s", job.Body)
	}
	n.post("/v1/chat/completions", request("null"))
	if _, hint := n.broker.last(t); hint.Preferences != nil {
		t.Errorf("of null: %+v", hint.Preferences)
	}
	known = false
	for provider, want := range map[string]struct {
		status int
		text   string
	}{
		`{"order":["openai"]}`:             {400, `"param":"provider.order[0]"`},
		`{"data_collection":"deny"}`:       {400, `"param":"provider.data_collection"`},
		`[]`:                               {400, `"param":"provider"`},
		`{"max_price":{"completion":1}}`:   {503, `DollarRateUnknown`},
		`{"max_price":{"completion":"x"}}`: {400, `"param":"provider.max_price.completion"`},
	} {
		if g := n.post("/v1/chat/completions", request(provider)); g.status != want.status ||
			!strings.Contains(g.body, want.text) {
			t.Errorf("%s: %d %s", provider, g.status, g.body)
		}
	}
	without := start(t, nil).serve()
	without.post("/v1/chat/completions", request(`{"max_price":{"completion":1}}`)).want(t, 400,
		`{"error":{"message":"provider.max_price.completion: this gateway knows no rate of the dollar",`+
			`"type":"invalid_request_error","param":"provider.max_price.completion","code":"RequestUnreadable"}}`+"\n")
}
