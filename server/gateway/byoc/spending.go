package byoc

import (
	"strings"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
)

// recordSpend records what a job cost that an orchestrator was looked for.
func (x *request) recordSpend() {
	if x.s.o.Spending == nil || x.bill == nil {
		return
	}
	s := apikeys.Spend{
		SpendKey: apikeys.SpendKey{
			Day: apikeys.SpendDay(x.s.o.Now()), ID: x.grant.ID(), Name: x.grant.Key(),
			Pipeline: capability.BYOC.Pipeline(), Model: apikeys.Label(x.job.capability),
			User: apikeys.Label(x.r.Header.Get("X-Tutti-User")),
			Tags: apikeys.Tags(strings.Split(x.r.Header.Get("X-Tutti-Tags"), ",")),
		},
		Requests: 1, Units: inference.Units(x.billed),
	}
	s.Paid, s.Lost, s.USD = x.bill.Total()
	x.s.o.Spending.Spent(&s)
}
