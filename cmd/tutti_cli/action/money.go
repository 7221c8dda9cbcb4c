package action

import (
	"context"

	"github.com/tuttinode/tutti/cmd/tutti_cli/amount"
	"github.com/tuttinode/tutti/cmd/tutti_cli/console"
	"github.com/tuttinode/tutti/cmd/tutti_cli/verb"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
)

func feesWithdraw() *verb.Verb {
	return &verb.Verb{Name: "fees withdraw", Menu: `Invoke "withdraw fees" (ETH)`, Chain: true, Changes: true, Short: "Pay out the fees that were earned.",
		Long:   "Without --amount all of them, without --to to the node's own account.",
		Fields: []verb.Field{etherField("amount", "how much", ""), addressField("to", "the recipient", "")}, Result: &verb.Sent{},
		Run: act(adminapi.VerbWithdrawFees, func(c *verb.Call) any {
			return adminapi.FeesTo{Recipient: verb.Ref[core.Address](c, "to"), Amount: verb.Ref[core.Wei](c, "amount")}
		})}
}

func tokenTransfer() *verb.Verb {
	to := addressField("to", "the recipient", "Recipient's address")
	to.Required = true
	amountOf := stakeField("amount", "how much", "Amount in LPT (whole tokens)")
	amountOf.Required = true
	return &verb.Verb{Name: "token transfer", Menu: `Invoke "transfer" (LPT)`, Chain: true, Changes: true, Short: "Send stake tokens to another account.",
		Fields: []verb.Field{to, amountOf}, Result: &verb.Sent{},
		Ask: func(ctx context.Context, c *verb.Call) error {
			if err := showBalance(ctx, c); err != nil {
				return err
			}
			if err := c.AskField(ctx, "to"); err != nil {
				return err
			}
			return c.AskField(ctx, "amount")
		},
		Run: act(adminapi.VerbTransferTokens, func(c *verb.Call) any {
			return adminapi.TokensTo{Amount: verb.Get[core.LPT](c, "amount"), To: verb.Get[core.Address](c, "to")}
		})}
}

func tokenRequest() *verb.Verb {
	return &verb.Verb{Name: "token request", Menu: "Get test LPT", For: verb.TestNetworks, Chain: true, Changes: true, Short: "Ask a test network's faucet for tokens.",
		Result: &verb.Sent{}, Run: act(adminapi.VerbRequestTokens, none)}
}

func none(*verb.Call) any { return adminapi.None{} }

// Hint is a verb's answer where all it has is advice.
type Hint struct {
	Text    string        `json:"text"`
	Account *core.Address `json:"account"`
}

// Print writes the advice.
func (h Hint) Print(p *console.Page) {
	defer p.Flush()
	p.Line("%s", h.Text)
	if h.Account != nil {
		p.Row("Account", *h.Account)
	}
}

func testEther() *verb.Verb {
	return &verb.Verb{Name: "token request-ether", Menu: "Get test ETH", For: verb.TestNetworks, Chain: true, Short: "Says where a test network's ETH comes from.", Result: Hint{},
		Run: func(ctx context.Context, c *verb.Call) (verb.Result, error) {
			about, err := c.About(ctx)
			return Hint{"This program cannot make ETH. On a public test network use its faucet; on a chain of your own send some from a funded account. Send it to the node's account:", about.Account}, err
		}}
}

func roundInitialize() *verb.Verb {
	return &verb.Verb{Name: "round initialize", Menu: `Invoke "initialize round"`, Chain: true, Changes: true, Short: "Open the present round for everybody.",
		Result: &verb.Sent{}, Run: act(adminapi.VerbInitializeRound, none)}
}

// Gas is `gas show` and what the changes of the bounds answer.
type Gas struct {
	adminapi.Gas
	DryRun bool `json:"dryRun"`
}

func printGas(p *console.Page, g adminapi.Gas) {
	bound := func(w core.Wei) string {
		if w.IsZero() {
			return "none"
		}
		return amount.GasPrice(w)
	}
	p.Row("Gas price", amount.GasPrice(g.Current))
	p.Row("Minimum gas price", bound(g.Min))
	p.Row("Maximum gas price", bound(g.Max))
}

// Print writes price and bounds.
func (g Gas) Print(p *console.Page) {
	defer p.Flush()
	p.Title("GAS")
	printGas(p, g.Gas)
	if g.DryRun {
		p.Row("Changed", "nothing (dry run)")
	}
}

func gasShow() *verb.Verb {
	return &verb.Verb{Name: "gas show", Chain: true, Short: "The price of gas, and the bounds on what is paid.", Result: Gas{},
		Run: read(adminapi.PathGas, func(g adminapi.Gas) Gas { return Gas{Gas: g} })}
}

func gasField(name, help, question string) verb.Field {
	return verb.Field{Name: name, Meta: "PRICE", Help: help + ": wei, or with a unit, 0.1gwei; 0 is no bound", Question: question,
		Parse: func(_ *verb.Call, text string, _ amount.Check) (any, error) { return amount.ParseGasPrice(text) }}
}

func gasSet() *verb.Verb {
	return &verb.Verb{Name: "gas set", Chain: true, Changes: true, Short: "Bound the price of gas until the next restart.", Result: Gas{},
		Fields: []verb.Field{gasField("min", "the lowest price to offer", ""), gasField("max", "the highest price to pay", "")}, Run: runGas}
}

func gasBound(name, menu, short, question, field string) *verb.Verb {
	f := gasField(field, "the bound", question)
	f.Word, f.Required = true, true
	return &verb.Verb{Name: name, Menu: menu, Chain: true, Changes: true, Short: short, Result: Gas{}, Fields: []verb.Field{f}, Run: runGas,
		Ask: func(ctx context.Context, c *verb.Call) error {
			var g adminapi.Gas
			if err := c.Node.Get(ctx, adminapi.PathGas, &g); err != nil {
				return err
			}
			Gas{Gas: g}.Print(c.TellPage())
			return c.AskField(ctx, field)
		}}
}

func gasMax() *verb.Verb {
	return gasBound("gas max", "Set maximum Ethereum gas price", "Pay at most this for gas, until the next restart.", "Maximum gas price in wei, 0 for none", "max")
}

func gasMin() *verb.Verb {
	return gasBound("gas min", "Set minimum Ethereum gas price", "Offer at least this for gas, until the next restart.", "Minimum gas price in wei, 0 for none", "min")
}

func runGas(ctx context.Context, c *verb.Call) (verb.Result, error) {
	change := adminapi.GasChange{Min: verb.Ref[core.Wei](c, "min"), Max: verb.Ref[core.Wei](c, "max")}
	if change.Min == nil && change.Max == nil {
		return nil, verb.Mistake("give --min, --max or both")
	}
	if change.Min != nil && change.Max != nil && !change.Max.IsZero() && change.Min.Cmp(*change.Max) > 0 {
		return nil, verb.Mistake("--min is above --max")
	}
	var g adminapi.Gas
	if err := c.Node.Get(ctx, adminapi.PathGas, &g); err != nil || c.Set.DryRun {
		return Gas{g, true}, err
	}
	if err := c.Agree(ctx, "Change the bounds?"); err != nil {
		return nil, err
	}
	if err := c.Node.Post(ctx, adminapi.PathGas, nil, change, nil); err != nil {
		return nil, err
	}
	err := c.Node.Get(ctx, adminapi.PathGas, &g)
	return Gas{Gas: g}, err
}
