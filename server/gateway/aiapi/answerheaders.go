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

// rateFields are the header fields of one limit per minute, as OpenAI sends them.
type rateFields struct{ limit, remaining, reset string }

// The limits of requests and of tokens. Read-only.
var (
	requestFields = rateFieldsOf("Requests")
	tokenFields   = rateFieldsOf("Tokens")
)

func rateFieldsOf(what string) rateFields {
	return rateFields{
		limit: "X-Ratelimit-Limit-" + what, remaining: "X-Ratelimit-Remaining-" + what, reset: "X-Ratelimit-Reset-" + what,
	}
}

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
	requestFields.set(h, rates.Requests)
	tokenFields.set(h, rates.Tokens)
}

// set sets the fields. Each answer has them, so all values share one text and one list.
func (f *rateFields) set(h http.Header, r apikeys.Rate) {
	if r.Limit == 0 {
		return
	}
	var buf [64]byte
	text := strconv.AppendInt(buf[:0], r.Limit, 10)
	limit := len(text)
	text = strconv.AppendInt(text, r.Remaining, 10)
	remaining := len(text)
	text = append(text, r.Reset.Round(time.Millisecond).String()...)
	all := string(text)
	values := []string{all[:limit], all[limit:remaining], all[remaining:]}
	h[f.limit], h[f.remaining], h[f.reset] = values[:1:1], values[1:2:2], values[2:]
}

// costHeaders says which orchestrator answers and what was paid for the request so far. An answer is settled when
// it begins, so that this is what it costs. No orchestrator may be looked for meanwhile.
func (x *relayedRequest) costHeaders() {
	h := x.w.Header()
	values := []string{x.stats.Orchestrator, freeOfCharge, freeOfCharge} // one list for all
	if x.stats.Orchestrator != "" {
		h[orchestratorHeader] = values[:1:1]
	}
	if x.cost.bill == nil {
		return
	}
	h[costWeiHeader] = values[1:2:2]
	paid, _, counted := x.cost.bill.Total()
	if paid.IsZero() && counted.IsZero() {
		h[costUSDHeader] = values[2:]
		return
	}
	values[1] = paid.String()
	if dollars, known := x.dollars(); known {
		values[2] = dollars.String()
		h[costUSDHeader] = values[2:]
	}
}

// freeOfCharge is the cost of a request for which nothing was paid.
const freeOfCharge = "0"

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
