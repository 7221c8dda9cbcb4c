package action

import (
	"context"
	"fmt"
	"net/url"

	"github.com/tuttinode/tutti/cmd/tutti_cli/console"
	"github.com/tuttinode/tutti/cmd/tutti_cli/verb"
	"github.com/tuttinode/tutti/core/adminapi"
)

type (
	// Spending is `spending`.
	Spending struct{ adminapi.Spending }
	// Credits is `spending credits`.
	Credits struct{ adminapi.Credits }
	// Forgiven is `spending forgive`: the credit as it was before.
	Forgiven struct {
		Credit adminapi.Credit `json:"credit"`
		DryRun bool            `json:"dryRun"`
	}
	// Gateways is `gateways`.
	Gateways struct{ adminapi.Payers }
)

func spendingVerbs() verb.Table {
	return verb.Table{
		{Name: "spending", Chain: true, Short: "What this gateway paid to which orchestrator, and for what.",
			Fields: []verb.Field{csvField()},
			Result: Spending{},
			Run: func(ctx context.Context, c *verb.Call) (verb.Result, error) {
				return report(ctx, c, adminapi.PathSpending, url.Values{},
					func(a adminapi.Spending) verb.Result { return Spending{a} })
			}},
		{Name: "spending credits", Chain: true,
			Short:  "Credits: what each orchestrator was paid and has not worked for, and the balance left for further jobs.",
			Result: Credits{},
			Run:    read(adminapi.PathCredits, func(a adminapi.Credits) Credits { return Credits{a} })},
		{Name: "spending forgive", Chain: true, Changes: true,
			Short: "Pay an orchestrator again that holds payments it has not worked for.",
			Fields: []verb.Field{{Name: "orchestrator", Word: true, Required: true, Meta: "ORCHESTRATOR",
				Help: "its account or address, as `spending credits` shows it"}}, Result: Forgiven{}, Run: runForgive},
		{Name: "gateways", Chain: true,
			Short: "The gateways that pay this orchestrator: funds, and balances paid ahead of the work.", Result: Gateways{},
			Run: read(adminapi.PathPayers, func(a adminapi.Payers) Gateways { return Gateways{a} })},
	}
}

// Print writes the rows and their sums.
func (a Spending) Print(p *console.Page) {
	defer p.Flush()
	p.Title("SPENDING")
	if len(a.Rows) == 0 {
		p.Line("Nothing was paid yet.")
		return
	}
	var rows [][]string
	for _, r := range a.Rows {
		rows = append(rows, []string{dash(r.Day), r.Recipient.String(), dash(r.Pipeline), dash(r.Model),
			fmt.Sprint(r.Payments), fmt.Sprint(r.Tickets),
			ether(r.Value), ether(r.Open), fmt.Sprint(r.Units), ether(r.Billed), ether(r.Cost)})
	}
	p.Table([]string{"DAY", "ORCHESTRATOR", "PIPELINE", "MODEL", "PAYMENTS", "TICKETS", "PAID", "NO WORK", "UNITS",
		"BILLED", "COST"}, rows)
	p.Title("IN ALL")
	p.Row("Paid in tickets", ether(a.Value))
	p.Row("Of it for no work", ether(a.Open)+": refused, failed, unknown or on its way")
	p.Row("For work of", ether(a.Billed))
	p.Row("Cost of jobs", ether(a.Cost)+": work, and what was lost with jobs that failed")
	p.Row("Of it API keys", ether(a.Charged.String())+": the sum of tutti key spend")
	if a.Balance != "" {
		p.Row("Balance at orchestrators", ether(a.Balance)+": further jobs are paid from it, see spending credits")
	}
	p.Row("Written off", ether(a.WrittenOff)+": balances that were idle, short, or left when the node stopped")
	p.Row("Unsettled", ether(a.Unsettled)+": jobs in progress, and what was lost when the node was killed")
}

// Print writes each gateway's funds and balances.
func (a Gateways) Print(p *console.Page) {
	defer p.Flush()
	p.Title("GATEWAYS")
	if len(a.Gateways) == 0 {
		p.Line("None has an open account here.")
		return
	}
	for _, g := range a.Gateways {
		p.Title(g.Gateway.String())
		p.Row("Deposit", verb.FormatEther(g.Deposit))
		p.Row("Reserve", verb.FormatEther(g.Reserve))
		p.Row("Carries per ticket", verb.FormatEther(g.MaxFloat))
		p.Row("Waiting", verb.FormatEther(g.Waiting)+", won, queued or submitted")
		for _, acc := range g.Accounts {
			p.Row("Balance of "+acc.Key, ether(acc.Balance)+", of it put aside for jobs: "+ether(acc.InHand))
		}
	}
}
