package aiapi

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/sse"
)

// Header fields that say where an answer comes from and what it cost.
const (
	orchestratorHeader = "X-Tutti-Orchestrator"
	costWeiHeader      = "X-Tutti-Cost-Wei"
	costUSDHeader      = "X-Tutti-Cost-Usd"
)

// Header fields of the limits per minute, as OpenAI sends them.
const (
	limitHeader     = "X-Ratelimit-Limit-"
	remainingHeader = "X-Ratelimit-Remaining-"
	resetHeader     = "X-Ratelimit-Reset-"
)

// rater is an Authorizer that knows the limits of a token whose request it refused.
type rater interface {
	Rates(token string) apikeys.Rates
}

// rateHeaders says what is left of the key's limits per minute. It may run while an orchestrator is looked for.
func (x *relayedRequest) rateHeaders() {
	rates := x.grant.Rates()
	if r, ok := x.server.opt.Keys.(rater); ok && x.grant == nil {
		rates = r.Rates(x.token())
	}
	h := x.w.Header()
	setRate(h, "Requests", rates.Requests)
	setRate(h, "Tokens", rates.Tokens)
}

func setRate(h http.Header, of string, r apikeys.Rate) {
	if r.Limit == 0 {
		return
	}
	h[limitHeader+of] = []string{strconv.FormatInt(r.Limit, 10)}
	h[remainingHeader+of] = []string{strconv.FormatInt(r.Remaining, 10)}
	h[resetHeader+of] = []string{r.Reset.Round(time.Millisecond).String()}
}

// costHeaders says which orchestrator answers and what was paid for the request so far. An answer is settled when
// it begins, so that this is what it costs. No orchestrator may be looked for meanwhile.
func (x *relayedRequest) costHeaders() {
	h := x.w.Header()
	if x.stats.Orchestrator != "" {
		h[orchestratorHeader] = []string{x.stats.Orchestrator}
	}
	if x.cost.bill == nil {
		return
	}
	paid, _, _ := x.cost.bill.Total()
	h[costWeiHeader] = []string{paid.String()}
	if dollars, known := x.dollars(); known {
		h[costUSDHeader] = []string{dollars.String()}
	}
}

// dollars returns what was paid in dollars, as it counts for the key; false while their rate is not known.
func (x *relayedRequest) dollars() (apikeys.USD, bool) {
	paid, _, counted := x.cost.bill.Total()
	switch {
	case paid.IsZero() || !counted.IsZero():
		return counted, true
	case x.server.opt.WeiPerUSD == nil:
		return counted, false
	}
	rate, known := x.server.opt.WeiPerUSD(false)
	return apikeys.USDOf(paid, rate, known)
}

// paidFields are what is added to the usage in an answer: nil where nothing was paid, and for /llm, which stays
// the network's.
func (x *relayedRequest) paidFields() map[string]json.RawMessage {
	paid, _, _ := x.cost.bill.Total()
	if paid.IsZero() || x.route.path == networkPath {
		return nil
	}
	if x.cost.usage == nil {
		x.cost.usage = map[string]json.RawMessage{"cost_wei": json.RawMessage(strconv.Quote(paid.String()))}
		if dollars, known := x.dollars(); known {
			x.cost.usage["cost"] = json.RawMessage(dollars.String())
		}
	}
	return x.cost.usage
}

// withCost adds what was paid to the usage in a piece of a stream.
func (x *relayedRequest) withCost(p []byte) []byte {
	if fields := x.paidFields(); fields != nil {
		return sse.AddUsage(p, fields)
	}
	return p
}

// withCostInside adds what was paid to the usage in a whole answer.
func (x *relayedRequest) withCostInside(b []byte) []byte {
	if fields := x.paidFields(); fields != nil {
		return sse.AddUsageTo(b, fields)
	}
	return b
}
