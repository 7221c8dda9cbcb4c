package action

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti_cli/console"
	"github.com/tuttinode/tutti/cmd/tutti_cli/node"
	"github.com/tuttinode/tutti/cmd/tutti_cli/verb"
	"github.com/tuttinode/tutti/core/adminapi"
)

// Status is `status`: the overview. What does not apply to the node, or
// could not be read, is null; Problems says why.
type Status struct {
	Node           adminapi.Node            `json:"node"`
	Conditions     []adminapi.Condition     `json:"conditions"`
	Settings       *adminapi.Settings       `json:"settings"`
	ServiceAddress *adminapi.ServiceAddress `json:"serviceAddress"`
	Chain          *adminapi.Chain          `json:"chain"`
	Balances       *adminapi.Balances       `json:"balances"`
	Gas            *adminapi.Gas            `json:"gas"`
	Orchestrator   *adminapi.Orchestrator   `json:"orchestrator"`
	Reward         *adminapi.Reward         `json:"reward"`
	Delegator      *adminapi.Delegator      `json:"delegator"`
	Sender         *adminapi.Sender         `json:"sender"`
	Prices         *adminapi.Prices         `json:"prices"`
	PriceLimits    *adminapi.PriceLimits    `json:"priceLimits"`
	Tickets        *adminapi.Tickets        `json:"tickets"`
	Income         *adminapi.IncomeOverview `json:"income"`
	Spending       *adminapi.Spending       `json:"spending"`
	Problems       []node.Problem           `json:"problems"`
}

func status() *verb.Verb {
	return &verb.Verb{Name: "status", Menu: "Get node status",
		Short: "Overview: problems with their remedies, chain, money, stake, rewards.", Result: Status{},
		Run: func(ctx context.Context, c *verb.Call) (verb.Result, error) { return readStatus(ctx, c) }}
}

func readStatus(ctx context.Context, c *verb.Call) (Status, error) {
	s := Status{Conditions: []adminapi.Condition{}, Problems: []node.Problem{}}
	var err error
	if s.Node, err = c.About(ctx); err != nil {
		return s, err
	}
	var conditions adminapi.Conditions
	if err := c.Node.Get(ctx, adminapi.PathConditions, &conditions); err != nil {
		return s, err
	}
	s.Conditions = append(s.Conditions, conditions.Conditions...)
	part(ctx, c, &s, adminapi.PathSettings, &s.Settings)
	orchestrates := verb.IsOrchestrator(s.Node)
	if orchestrates {
		part(ctx, c, &s, adminapi.PathServiceAddress, &s.ServiceAddress)
	}
	if s.Node.Offchain {
		return s, ctx.Err()
	}
	part(ctx, c, &s, adminapi.PathChain, &s.Chain)
	part(ctx, c, &s, adminapi.PathBalances, &s.Balances)
	part(ctx, c, &s, adminapi.PathGas, &s.Gas)
	if orchestrates {
		part(ctx, c, &s, adminapi.PathOrchestrator, &s.Orchestrator)
		part(ctx, c, &s, adminapi.PathReward, &s.Reward)
	} else {
		part(ctx, c, &s, adminapi.PathSender, &s.Sender)
	}
	s.readBooks(ctx, c)
	part(ctx, c, &s, adminapi.PathDelegator, &s.Delegator)
	return s, ctx.Err()
}

// part reads one part; a part that cannot be read does not hide the others.
func part[T any](ctx context.Context, c *verb.Call, s *Status, path string, into **T) {
	var v T
	if err := c.Node.Get(ctx, path, &v); err != nil {
		s.Problems = append(s.Problems, node.Explain(err))
		return
	}
	*into = &v
}

// Print writes the page.
func (s Status) Print(p *console.Page) {
	defer p.Flush()
	Node{s.Node}.rows(p)
	if s.Settings != nil && s.Settings.MaxSessions != "" {
		p.Row("Maximum sessions", s.Settings.MaxSessions)
	}
	Conditions{adminapi.Conditions{Conditions: s.Conditions}}.Print(p)
	s.printAddress(p)
	s.printChain(p)
	s.printMoney(p)
	if s.Orchestrator != nil && s.Orchestrator.Registered {
		s.printOrchestrator(p)
	}
	if s.Reward != nil {
		Reward{*s.Reward}.Print(p)
	}
	if s.Delegator != nil && s.Delegator.Delegate != nil {
		Stake{*s.Delegator}.Print(p)
	}
	if s.Sender != nil {
		Deposit{*s.Sender}.Print(p)
	}
	s.printBooks(p)
	for _, problem := range s.Problems {
		p.Line("%s", p.Style.Bad("Not shown: "+problem.Code+": "+problem.Message))
		p.Line("  Remedy: %s", console.Unmarked(problem.Remedy))
	}
}

func (s Status) printAddress(p *console.Page) {
	a := s.ServiceAddress
	if a == nil {
		return
	}
	p.Title("SERVICE ADDRESS")
	p.Row("Advertised", a.Advertised)
	if a.OnChain != "" || a.Mismatch {
		p.Row("On the chain", a.OnChain)
	}
	if a.Discovered != "" {
		p.Row("Seen from outside", a.Discovered)
	}
	if a.Mismatch {
		p.Row("Match", p.Style.Bad("no: gateways look for the node where it is not"))
	}
	reach := string(a.Reachable)
	if a.Detail != "" {
		reach += ": " + a.Detail
	}
	p.Row("Reachable", reach)
}

func (s Status) printChain(p *console.Page) {
	c := s.Chain
	if c == nil {
		return
	}
	p.Title("CHAIN")
	if !c.Known {
		p.Row("State", p.Style.Bad("no block was read yet"))
	} else {
		state := p.Style.Good("fresh")
		if c.Stale {
			state = p.Style.Bad("stale: no block since " + c.Head.Time.Format(time.RFC3339))
		}
		p.Row("State", state)
		p.Row("Block", fmt.Sprintf("%d (layer 1: %d)", c.Head.Number, c.Head.L1))
	}
	for _, e := range c.Endpoints {
		p.Row("Endpoint "+e.Name, strings.TrimSpace(fmt.Sprintf("%s, %d behind, %.0f ms, %.0f %% errors %s", e.State, e.Lag,
			e.LatencyMs, 100*e.ErrorRate, e.Detail)))
	}
	if c.Known {
		round(s.Node, *c).Print(p)
	}
}

func (s Status) printMoney(p *console.Page) {
	if s.Balances == nil && s.Gas == nil {
		return
	}
	p.Title("ACCOUNT")
	if b := s.Balances; b != nil {
		p.Row("ETH balance", verb.FormatEther(b.Ether))
		p.Row("LPT balance", verb.FormatStake(b.Token))
	}
	if g := s.Gas; g != nil {
		printGas(p, *g)
	}
}

func (s Status) printOrchestrator(p *console.Page) {
	o := s.Orchestrator
	p.Title("ORCHESTRATOR")
	p.Row("State", o.State)
	p.Row("Service URI", o.ServiceURI)
	p.Row("Delegated stake", verb.FormatStake(o.DelegatedStake))
	p.Row("Reward cut", verb.FormatPercent(o.RewardCut))
	p.Row("Fee cut", verb.FormatPercent(o.FeeCut))
	p.Row("Last reward round", o.LastRewardRound)
	if o.ActivationRound != nil {
		p.Row("Active from round", *o.ActivationRound)
	}
	if o.DeactivationRound != nil {
		p.Row("Active until round", *o.DeactivationRound)
	}
	if o.RewardCaller != nil {
		p.Row("Reward caller", *o.RewardCaller)
	}
	if o.PricePerPixel != "" {
		p.Row("Price", o.PricePerPixel+" wei per pixel")
	}
}
