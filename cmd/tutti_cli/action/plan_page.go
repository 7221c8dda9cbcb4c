package action

import (
	"fmt"

	"github.com/tuttinode/tutti/cmd/tutti_cli/console"
	"github.com/tuttinode/tutti/cmd/tutti_cli/verb"
	"github.com/tuttinode/tutti/core/adminapi"
)

// PrintPlan writes the steps with their costs.
func PrintPlan(p *console.Page, plan adminapi.Plan) {
	if len(plan.Steps) == 0 {
		return
	}
	defer p.Flush()
	p.Title("PLAN")
	var rows [][]string
	for i, step := range plan.Steps {
		state, fee := "open", "-"
		switch {
		case step.Done:
			state = p.Style.Good("done")
		case step.Error != nil:
			state = p.Style.Bad("blocked: " + step.Error.Code)
		}
		if step.Estimate != nil && !step.Done {
			fee = verb.FormatEther(step.Estimate.Fee)
			if step.Typical {
				fee = "about " + fee
			}
		}
		rows = append(rows, []string{fmt.Sprint(i + 1), step.About, state, fee})
	}
	p.Table([]string{"STEP", "WHAT", "STATE", "FEE"}, rows)
	p.Row("Fees in all", verb.FormatEther(plan.TotalFee))
	p.Row("Stake to bond", verb.FormatStake(plan.Token))
	p.Flush()
	for _, w := range plan.Warnings {
		p.Line("%s", p.Style.Warn("Note: "+w))
	}
}

// localNames are what is changed without a transaction.
func localNames() map[string]string { return map[string]string{"set-price": "Price"} }

// Print writes what was done and what comes of it.
func (s *Planned) Print(p *console.Page) {
	defer p.Flush()
	if s.DryRun {
		PrintPlan(p, s.Plan)
		p.Row("Sent", "nothing (dry run)")
		if s.Blocked != nil {
			p.Row("Blocked", p.Style.Bad(s.Blocked.Code+": "+s.Blocked.Message))
			p.Row("Remedy", console.Unmarked(s.Blocked.Remedy))
		}
	} else {
		p.Title("DONE")
		for _, e := range s.Executed {
			p.Row(e.About, e.Transaction.Hash)
		}
		for _, l := range s.Local {
			p.Row(localNames()[l], "changed")
		}
		if len(s.Executed)+len(s.Local) == 0 {
			p.Line("Nothing had to be changed.")
		}
	}
	if s.Verb != "orchestrator activate" {
		return
	}
	if s.Rank == nil || s.ActiveFrom == nil || s.ActiveInBlocks == nil {
		p.Row("Active", p.Style.Warn("no: the stake is not among the highest of the pool; tutti_cli orchestrators shows "+
			"what it takes"))
		return
	}
	p.Row("Rank in the pool", *s.Rank)
	when := fmt.Sprintf("from round %d on, ", *s.ActiveFrom) + inTime(*s.ActiveInBlocks, s.ActiveInMinutes)
	if *s.ActiveInBlocks == 0 {
		when = fmt.Sprintf("since round %d", *s.ActiveFrom)
	}
	p.Row("Active", when)
}
