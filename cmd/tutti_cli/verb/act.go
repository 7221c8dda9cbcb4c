package verb

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"github.com/tuttinode/tutti/cmd/tutti_cli/console"
	"github.com/tuttinode/tutti/cmd/tutti_cli/node"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// Sent is what came of an action on the chain.
type Sent struct {
	Verb   string `json:"verb"`
	DryRun bool   `json:"dryRun"`
	// Estimate is what was expected; null where nothing was asked of the chain.
	Estimate *adminapi.Estimate `json:"estimate"`
	// Before are transactions that had to come first.
	Before      []adminapi.Transaction `json:"before"`
	Transaction *adminapi.Transaction  `json:"transaction"`
}

// Print says how far it came.
func (s *Sent) Print(p *console.Page) {
	defer p.Flush()
	if s.Transaction == nil {
		if s.Estimate != nil {
			PrintEstimate(p, s.Estimate)
		}
		p.Row("Sent", "nothing (dry run)")
		return
	}
	for i := range s.Before {
		PrintTransaction(p, &s.Before[i])
	}
	PrintTransaction(p, s.Transaction)
}

// PrintEstimate writes what an action would cost.
func PrintEstimate(p *console.Page, e *adminapi.Estimate) {
	p.Row("Action", e.About)
	p.Row("Gas", e.Gas)
	p.Row("Gas price", FormatGasPrice(e.Price))
	p.Row("Fee", FormatEther(e.Fee))
	p.Row("The account needs", FormatEther(e.Need))
}

// PrintTransaction writes where a transaction stands.
func PrintTransaction(p *console.Page, t *adminapi.Transaction) {
	p.Row("Action", t.About)
	state := string(t.State)
	switch t.State {
	case protocol.TxMined, protocol.TxFinal:
		state = p.Style.Good(state)
	case protocol.TxFailed, protocol.TxDropped:
		state = p.Style.Bad(state)
	}
	p.Row("State", state)
	p.Row("Transaction", t.Hash)
	if t.Block != 0 {
		p.Row("Block", t.Block)
		p.Row("Fee", FormatEther(t.Fee))
	}
	if t.Reason != "" {
		p.Row("Reason", t.Reason)
	}
}

// Act estimates an action, shows its cost, asks, sends it and follows it. verb is
// one of the admin API's.
func (c *Call) Act(ctx context.Context, verb string, body any) (*Sent, error) {
	result := &Sent{Verb: c.Verb.Name, DryRun: c.Set.DryRun, Before: []adminapi.Transaction{}}
	var estimate adminapi.ActionResult
	path := adminapi.ActionPath(verb)
	if err := c.Node.Post(ctx, path, url.Values{adminapi.QueryDryRun: {"true"}}, body, &estimate); err != nil {
		return nil, err
	}
	result.Estimate = estimate.Estimate
	if c.Set.DryRun {
		return result, nil
	}
	c.TellEstimate(estimate.Estimate)
	if err := c.Agree(ctx, "Send it?"); err != nil {
		return nil, err
	}
	var sent adminapi.ActionResult
	f, err := c.Send(ctx, verb, func(ctx context.Context) error {
		return c.Node.Post(ctx, path, url.Values{adminapi.QueryWait: {adminapi.WaitSubmitted}}, body, &sent)
	})
	if err != nil {
		return nil, err
	}
	result.Before = append(result.Before, sent.Before...)
	if sent.Transaction != nil {
		f.Saw(*sent.Transaction)
	}
	result.Transaction, err = f.Follow(ctx)
	return result, err
}

// TellEstimate shows a cost before a question.
func (c *Call) TellEstimate(e *adminapi.Estimate) {
	if e == nil || c.Set.JSON {
		return
	}
	c.Report("This will: %s", e.About)
	c.Report("Gas %d at %s: fee %s; the account needs %s.", e.Gas, FormatGasPrice(e.Price), FormatEther(e.Fee),
		FormatEther(e.Need))
}

// failure is why a transaction came to nothing, with the code in its reason.
func failure(t *adminapi.Transaction) error {
	if t.State != protocol.TxFailed && t.State != protocol.TxDropped {
		return nil
	}
	code, _, _ := strings.Cut(t.Reason, " ")
	row, known := fault.Lookup(fault.Code(strings.TrimSuffix(code, ":")))
	if !known {
		return node.FromAPI(&adminapi.Error{Code: "TransactionFailed", Message: "transaction " + t.Hash.String() + " " +
			string(t.State) + ": " + t.Reason,
			Remedy: "Read the reason, correct it and run the verb again; the fee of a failed transaction is spent."})
	}
	return node.FromAPI(&adminapi.Error{Code: string(row.Code), Message: "transaction " + t.Hash.String() + " " +
		string(t.State) + ": " + t.Reason, Remedy: row.Remedy})
}

// Interrupted reports whether a run ended because the operator ended it, while no
// change was under way.
func Interrupted(err error) bool { return errors.Is(err, context.Canceled) }
