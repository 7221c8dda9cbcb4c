package aiapi

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pipeline"
)

// Spending records what requests cost.
type Spending interface {
	Spent(s *apikeys.Spend)
}

// Header fields with the client's labels of a request. They have precedence over those in its body.
const (
	userHeader = "X-Tutti-User"
	tagsHeader = "X-Tutti-Tags"
)

// requestCost is what is paid for a request, and what it is recorded under.
type requestCost struct {
	// billed is what the gateway pays for the answer, 0 for nothing.
	billed inference.Units
	// bill is what was paid, nil before an orchestrator was looked for.
	bill *apikeys.Bill
	// labels are those in the request's body.
	labels pipeline.Labels
	// usage is what is added to the usage in the answer, nil before that is known.
	usage map[string]json.RawMessage
}

// recordSpend records what a request cost that an orchestrator was looked for.
func (x *relayedRequest) recordSpend(u inference.Usage) {
	to := x.server.opt.Spending
	if to == nil || x.cost.bill == nil {
		return
	}
	s := apikeys.Spend{
		SpendKey: apikeys.SpendKey{
			Day: apikeys.SpendDay(x.server.opt.Now()), ID: x.grant.ID(), Name: x.grant.Key(),
			Pipeline: x.stats.Model.Pipeline(), Model: apikeys.Label(x.stats.Model.ID),
		},
		Requests: 1, Prompt: max(u.Prompt, 0), Completion: u.Completion, Units: x.stats.Units,
	}
	s.User, s.Tags = labelsOf(x.r, x.cost.labels)
	s.Paid, s.Lost, s.USD = x.cost.bill.Total()
	to.Spent(&s)
}

// labelsOf returns a request's user and tags, given those of its body.
func labelsOf(r *http.Request, in pipeline.Labels) (user, tags string) {
	list := in.Tags
	if header := r.Header.Get(tagsHeader); header != "" {
		list = strings.Split(header, ",")
	}
	return apikeys.Label(cmp.Or(r.Header.Get(userHeader), in.User)), apikeys.Tags(list)
}
