package action

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti_cli/console"
	"github.com/tuttinode/tutti/cmd/tutti_cli/verb"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/protocol"
)

// The results of verbs that look are the API's answers, with a face for people.
type (
	// Node is `node`.
	Node struct{ adminapi.Node }
	// Round is `round`.
	Round struct {
		adminapi.Round
		// Block is the present layer-1 block, EndsInBlocks how long the round lasts
		// from it on, EndsIn about how many minutes that is: null on a devnet, where
		// the pace of layer 1 is not known.
		Block        protocol.L1Block `json:"l1"`
		EndsInBlocks protocol.L1Block `json:"endsInBlocks"`
		EndsIn       *int             `json:"endsInMinutes"`
	}
	// Parameters is `parameters`.
	Parameters struct{ adminapi.Parameters }
	// Pool is `orchestrators`.
	Pool struct{ adminapi.Orchestrators }
	// Conditions is `conditions`.
	Conditions struct{ adminapi.Conditions }
	// Transactions is `transactions`.
	Transactions struct{ adminapi.Transactions }
)

// read returns a verb's work where it is one look at the node.
func read[T any, R verb.Result](path string, result func(T) R) func(context.Context, *verb.Call) (verb.Result, error) {
	return func(ctx context.Context, c *verb.Call) (verb.Result, error) {
		var answer T
		if err := c.Node.Get(ctx, path, &answer); err != nil {
			return nil, err
		}
		return result(answer), nil
	}
}

func lookVerbs() verb.Table {
	return verb.Table{
		{Name: "node", Short: "What kind of node it is: roles, network, account.", Result: Node{},
			Run: read(adminapi.PathNode, func(n adminapi.Node) Node { return Node{n} })},
		{Name: "round", Chain: true, Short: "The present round: number, initialized, locked, how long it lasts.",
			Result: Round{}, Run: runRound},
		{Name: "conditions", Short: "What is wrong with the node now, and what to do.", Result: Conditions{},
			Run: read(adminapi.PathConditions, func(a adminapi.Conditions) Conditions { return Conditions{a} })},
		{Name: "transactions", Chain: true, Short: "Transactions on their way, and the last ones that ended.",
			Result: Transactions{},
			Run:    read(adminapi.PathTransactions, func(a adminapi.Transactions) Transactions { return Transactions{a} })},
	}
}

func parameters() *verb.Verb {
	return &verb.Verb{Name: "parameters", Menu: "View protocol parameters", Chain: true,
		Short: "The protocol's settings, which governance may change.", Result: Parameters{},
		Run: read(adminapi.PathParameters, func(a adminapi.Parameters) Parameters { return Parameters{a} })}
}

func orchestrators() *verb.Verb {
	return &verb.Verb{Name: "orchestrators", Menu: "List registered orchestrators", Chain: true,
		Short: "The pool of orchestrators, highest stake first.", Result: Pool{},
		Run: read(adminapi.PathOrchestrators, func(a adminapi.Orchestrators) Pool { return Pool{a} })}
}

func runRound(ctx context.Context, c *verb.Call) (verb.Result, error) {
	chain, err := readChain(ctx, c)
	if err != nil {
		return nil, err
	}
	about, err := c.About(ctx)
	return round(about, chain), err
}

func round(n adminapi.Node, c adminapi.Chain) Round {
	left := until(c.Head.L1, c.Round.End)
	return Round{c.Round, c.Head.L1, left, minutes(n, left)}
}

func readChain(ctx context.Context, c *verb.Call) (adminapi.Chain, error) {
	var chain adminapi.Chain
	err := c.Node.Get(ctx, adminapi.PathChain, &chain)
	return chain, err
}

// Print writes the node.
func (n Node) Print(p *console.Page) {
	defer p.Flush()
	n.rows(p)
}

func (n Node) rows(p *console.Page) {
	p.Title("NODE")
	p.Row("Version", n.Version)
	p.Row("Roles", strings.Join(n.Roles, ", "))
	p.Row("Network", n.Network)
	if !n.Offchain {
		p.Row("Chain ID", n.ChainID)
	}
	if n.Account != nil {
		p.Row("Account", *n.Account)
	}
	if n.Orchestrator != nil && verb.IsOrchestrator(n.Node) {
		p.Row("Orchestrator", *n.Orchestrator)
	}
	p.Row("Running since", n.Started.Format(time.RFC3339))
}

// Print writes the round.
func (r Round) Print(p *console.Page) {
	defer p.Flush()
	p.Title("ROUND")
	p.Row("Number", r.Number)
	p.Row("Initialized", yes(p, r.Initialized))
	locked := "no"
	if r.Locked {
		locked = p.Style.Warn("yes: cuts cannot be changed before the next round")
	}
	p.Row("Locked", locked)
	p.Row("Layer-1 block", fmt.Sprintf("%d of %d to %d", r.Block, r.Start, r.End))
	p.Row("Next round", inTime(r.EndsInBlocks, r.EndsIn))
}

func noYes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func yes(p *console.Page, b bool) string {
	if b {
		return p.Style.Good("yes")
	}
	return p.Style.Warn("no")
}

// Print writes the parameters.
func (a Parameters) Print(p *console.Page) {
	defer p.Flush()
	p.Title("PROTOCOL PARAMETERS")
	p.Row("Protocol paused", a.Paused)
	p.Row("Active orchestrators", fmt.Sprintf("%d of at most %d", a.PoolSize, a.PoolMaxSize))
	p.Row("Round length", fmt.Sprintf("%d layer-1 blocks", a.RoundLength))
	p.Row("Round lock", verb.FormatPercent(a.RoundLockAmount))
	p.Row("Unbonding period", fmt.Sprintf("%d rounds", a.UnbondingPeriod))
	p.Row("Unlock period", fmt.Sprintf("%d rounds", a.UnlockPeriod))
	p.Row("Ticket validity", fmt.Sprintf("%d rounds", a.TicketValidity))
	p.Row("Inflation per round", billionth(a.Inflation))
	p.Row("Inflation change per round", billionth(a.InflationChange))
	p.Row("Target bonding rate", billionth(a.TargetBondingRate))
	p.Row("Total bonded", verb.FormatStake(a.TotalBonded))
	p.Row("Total supply", verb.FormatStake(a.TotalSupply))
	p.Row("Participation rate", participation(a))
	p.Row("Treasury's part of each reward",
		fmt.Sprintf("%s (%s from the next round on)", billionth(a.TreasuryCut), billionth(a.NextTreasuryCut)))
	p.Row("Minted in this round",
		fmt.Sprintf("%s of %s", verb.FormatStake(a.MintedTokens), verb.FormatStake(a.MintableTokens)))
}

// Print writes the pool.
func (o Pool) Print(p *console.Page) {
	defer p.Flush()
	p.Title("ORCHESTRATORS")
	if len(o.Orchestrators.Orchestrators) == 0 {
		p.Line("There are none.")
		return
	}
	var rows [][]string
	for i, m := range o.Orchestrators.Orchestrators {
		price := m.PricePerPixel
		if price == "" {
			price = "-"
		}
		rows = append(rows, []string{fmt.Sprint(i), m.Address.String(), noYes(m.Active), verb.FormatStake(m.DelegatedStake),
			verb.FormatPercent(m.RewardCut), verb.FormatPercent(m.FeeCut), m.ServiceURI, price})
	}
	p.Table([]string{"ID", "ADDRESS", "ACTIVE", "DELEGATED STAKE", "REWARD CUT", "FEE CUT", "SERVICE URI",
		"WEI PER PIXEL"}, rows)
}

// Print writes the conditions with their remedies; what a root cause explains is
// only named.
func (a Conditions) Print(p *console.Page) {
	defer p.Flush()
	p.Title("CONDITIONS")
	if len(a.Conditions.Conditions) == 0 {
		p.Line("%s", p.Style.Good("Nothing is wrong."))
		return
	}
	for _, c := range a.Conditions.Conditions {
		name := c.Code
		if c.About != "" {
			name += " " + c.About
		}
		if c.HiddenBy != "" {
			p.Line("  %s: follows from %s", name, c.HiddenBy)
			continue
		}
		p.Line("%s since %s: %s", p.Style.Bad(name), c.Since.Format(time.RFC3339), c.Detail)
		p.Line("  Remedy: %s", console.Unmarked(c.Remedy))
	}
}

// Print writes the transactions.
func (a Transactions) Print(p *console.Page) {
	defer p.Flush()
	p.Title("TRANSACTIONS")
	if len(a.Transactions.Transactions) == 0 {
		p.Line("There are none.")
		return
	}
	var rows [][]string
	for _, t := range a.Transactions.Transactions {
		rows = append(rows, []string{fmt.Sprint(t.ID), t.About, string(t.State), t.Sent.Format(time.RFC3339),
			verb.FormatEther(t.Fee), t.Hash.String(), t.Reason})
	}
	p.Table([]string{"ID", "ACTION", "STATE", "SENT", "FEE", "HASH", "REASON"}, rows)
}
