package verb

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti_cli/amount"
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
	p.Row("Gas price", amount.GasPrice(e.Price))
	p.Row("Fee", amount.Fee(e.Fee))
	p.Row("The account needs", amount.Fee(e.Need))
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
		p.Row("Fee", amount.Fee(t.Fee))
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
	sent, err := c.send(ctx, path, verb, body)
	if err != nil {
		return nil, err
	}
	result.Before = append(result.Before, sent.Before...)
	result.Transaction, err = c.Follow(ctx, sent.Transaction)
	return result, err
}

// TellEstimate shows a cost before a question.
func (c *Call) TellEstimate(e *adminapi.Estimate) {
	if e == nil || c.Set.JSON {
		return
	}
	c.Tell("This will: %s", e.About)
	c.Tell("Gas %d at %s: fee %s; the account needs %s.", e.Gas, amount.GasPrice(e.Price), amount.Fee(e.Fee), amount.Fee(e.Need))
}

func (c *Call) send(ctx context.Context, path, verb string, body any) (adminapi.ActionResult, error) {
	bounded, cancel := context.WithTimeout(ctx, c.Set.Timeout)
	defer cancel()
	var sent adminapi.ActionResult
	since := c.World.Now()
	err := c.Node.Post(bounded, path, url.Values{adminapi.QueryWait: {adminapi.WaitSubmitted}}, body, &sent)
	if err != nil && bounded.Err() != nil {
		return sent, c.Lost(context.WithoutCancel(ctx), since, adminapi.Kebab(verb))
	}
	if err == nil && sent.Transaction == nil {
		err = fault.New(fault.NodeAnswerUnreadable, "send", "the node's answer names no transaction")
	}
	return sent, err
}

// Lost says what is known of a transaction whose answer did not come.
func (c *Call) Lost(ctx context.Context, since time.Time, verb string) error {
	var all adminapi.Transactions
	if err := c.Node.Get(ctx, adminapi.PathTransactions, &all); err == nil {
		for _, t := range all.Transactions {
			if !t.Sent.Before(since) && (verb == "" || adminapi.Kebab(t.Verb) == verb) {
				return timedOut(t)
			}
		}
	}
	return fault.New(fault.WaitTimedOut, "send", "the node did not answer in time; whether a transaction was sent is not known")
}

func timedOut(t adminapi.Transaction) error {
	return fault.New(fault.WaitTimedOut, "follow the transaction", "transaction "+t.Hash.String()+" goes on; it is "+string(t.State)+" so far")
}

// rank orders how far a transaction came.
var rank = map[protocol.TxState]int{protocol.TxSubmitted: 1, protocol.TxMined: 2, protocol.TxFinal: 3}

// Follow waits until a transaction is as far as --wait says.
func (c *Call) Follow(ctx context.Context, t *adminapi.Transaction) (*adminapi.Transaction, error) {
	bounded, cancel := context.WithTimeout(ctx, c.Set.Timeout)
	defer cancel()
	c.Tell("Sent: %s", t.Hash)
	ticker := time.NewTicker(c.World.Poll)
	defer ticker.Stop()
	for {
		if err := failure(t); err != nil {
			return t, err
		}
		if rank[t.State] >= rank[protocol.TxState(c.Set.Wait)] {
			return t, nil
		}
		select {
		case <-bounded.Done():
			return t, timedOut(*t)
		case <-ticker.C:
		}
		t = c.look(bounded, t)
	}
}

// look reads a transaction again. Where the node does not answer or does not know
// it any more, it stays as it was: only time ends the wait.
func (c *Call) look(ctx context.Context, t *adminapi.Transaction) *adminapi.Transaction {
	var all adminapi.Transactions
	if err := c.Node.Get(ctx, adminapi.PathTransactions, &all); err != nil {
		return t
	}
	for i := range all.Transactions {
		now := &all.Transactions[i]
		if now.ID != t.ID {
			continue
		}
		if now.Hash != t.Hash {
			c.Tell("Sent again with a higher fee: %s", now.Hash)
		}
		return now
	}
	return t
}

// failure is why a transaction came to nothing, with the code in its reason.
func failure(t *adminapi.Transaction) error {
	if t.State != protocol.TxFailed && t.State != protocol.TxDropped {
		return nil
	}
	code, _, _ := strings.Cut(t.Reason, " ")
	row, known := fault.Lookup(fault.Code(strings.TrimSuffix(code, ":")))
	if !known {
		return node.FromAPI(&adminapi.Error{Code: "TransactionFailed", Message: "transaction " + t.Hash.String() + " " + string(t.State) + ": " + t.Reason,
			Remedy: "Read the reason, correct it and run the verb again; the fee of a failed transaction is spent."})
	}
	return node.FromAPI(&adminapi.Error{Code: string(row.Code), Message: "transaction " + t.Hash.String() + " " + string(t.State) + ": " + t.Reason, Remedy: row.Remedy})
}

// Interrupted reports whether a run ended because the operator ended it.
func Interrupted(err error) bool { return errors.Is(err, context.Canceled) }
