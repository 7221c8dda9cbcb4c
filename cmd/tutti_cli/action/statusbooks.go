package action

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tuttinode/tutti/cmd/tutti_cli/console"
	"github.com/tuttinode/tutti/cmd/tutti_cli/verb"
	"github.com/tuttinode/tutti/core/adminapi"
)

// readBooks reads prices, tickets and money. A redeemer has tickets and income, and
// no prices.
func (s *Status) readBooks(ctx context.Context, c *verb.Call) {
	if slices.Contains(s.Node.Roles, "orchestrator") {
		part(ctx, c, s, adminapi.PathPrices, &s.Prices)
	}
	if verb.IsOrchestrator(s.Node) {
		part(ctx, c, s, adminapi.PathTickets+"?"+adminapi.QueryLimit+"=1", &s.Tickets)
		part(ctx, c, s, adminapi.PathIncomeOverview, &s.Income)
	}
	if slices.Contains(s.Node.Roles, "gateway") {
		part(ctx, c, s, adminapi.PathPriceLimits, &s.PriceLimits)
		part(ctx, c, s, adminapi.PathSpending, &s.Spending)
	}
}

func (s Status) printBooks(p *console.Page) {
	if s.Tickets != nil || s.Income != nil {
		p.Title("INCOME")
	}
	if in := s.Income; in != nil {
		p.Row("Today (UTC)", earned(&in.Today))
		p.Row("In all", earned(&in.Total))
	}
	if s.Tickets != nil {
		p.Row("Winning tickets", countsText(s.Tickets.Counts))
	}
	if s.Spending != nil {
		p.Title("SPENDING")
		p.Row("Paid in tickets", ether(s.Spending.Value))
		p.Row("For work of", ether(s.Spending.Billed))
	}
	PriceList{s.Prices, s.PriceLimits}.Print(p)
}

func earned(r *adminapi.IncomeRow) string {
	return fmt.Sprintf("received %s in %d tickets, billed %s, redeemed %s", ether(r.Received), r.Tickets, ether(r.Billed),
		verb.FormatEther(r.Redeemed))
}

// countsText returns how many tickets there are in each state.
func countsText(counts map[string]int) string {
	var out []string
	for _, state := range states() {
		if n := counts[state]; n > 0 {
			out = append(out, fmt.Sprintf("%d %s", n, state))
		}
	}
	if len(out) == 0 {
		return "none"
	}
	return strings.Join(out, ", ")
}
