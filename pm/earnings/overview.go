package earnings

import (
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm/ledger"
)

// Overview is what an orchestrator earned, in several groupings; all its reports are of one
// moment.
type Overview struct {
	Day   ledger.Day
	Round protocol.Round
	// All is everything, Today and ThisRound the parts of Day and Round.
	All, Today, ThisRound       Row
	Gateways, Models, OfWorkers *Income
}

// OverviewQuery asks the ledger for what MakeOverview needs.
func OverviewQuery() ledger.Query { return (Day | Round | Gateway | Model | Worker).Query() }

// MakeOverview makes an overview of totals that are grouped by all fields.
func MakeOverview(totals []ledger.Total, rewards []Reward, today ledger.Day, round protocol.Round) *Overview {
	sum := func(takes func(ledger.Day, protocol.Round) bool) Row {
		var some []ledger.Total
		for i := range totals {
			if takes(totals[i].Day, totals[i].Round) {
				some = append(some, totals[i])
			}
		}
		var minted []Reward
		for _, w := range rewards {
			if takes(ledger.DayOf(w.At), w.Round) {
				minted = append(minted, w)
			}
		}
		return MakeIncome(0, some, minted).Total
	}
	return &Overview{
		Day: today, Round: round,
		All:       sum(func(ledger.Day, protocol.Round) bool { return true }),
		Today:     sum(func(d ledger.Day, _ protocol.Round) bool { return d == today }),
		ThisRound: sum(func(_ ledger.Day, r protocol.Round) bool { return r == round }),
		Gateways:  MakeIncome(Gateway, totals, nil),
		Models:    MakeIncome(Model, totals, nil),
		OfWorkers: MakeIncome(Model|Worker, totals, nil),
	}
}

// Answer returns the report as the admin API has it.
func (o *Overview) Answer() adminapi.IncomeOverview {
	return adminapi.IncomeOverview{
		Day: o.Day.String(), Round: o.Round,
		Total: By(0).answer(&o.All), Today: By(0).answer(&o.Today), ThisRound: By(0).answer(&o.ThisRound),
		Gateways: o.Gateways.Answer().Rows, Models: o.Models.Answer().Rows, Workers: o.OfWorkers.Answer().Rows,
	}
}
