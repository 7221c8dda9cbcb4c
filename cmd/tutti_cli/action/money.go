package action

import (
	"context"

	"github.com/tuttinode/tutti/cmd/tutti_cli/console"
	"github.com/tuttinode/tutti/cmd/tutti_cli/verb"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
)

func feesWithdraw() *verb.Verb {
	return &verb.Verb{Name: "fees withdraw", Menu: `Invoke "withdraw fees" (ETH)`, Chain: true, Changes: true,
		Short:  "Pay out the fees that were earned.",
		Long:   "Without --amount all of them, without --to to the node's own account.",
		Fields: []verb.Field{etherField("amount", "how much", ""), addressField("to", "the recipient", "")},
		Result: &verb.Sent{},
		Run: act(adminapi.VerbWithdrawFees, func(c *verb.Call) any {
			return adminapi.FeesTo{Recipient: verb.Ref[core.Address](c, "to"), Amount: verb.Ref[core.Wei](c, "amount")}
		})}
}

func tokenTransfer() *verb.Verb {
	to := addressField("to", "the recipient", "Recipient's address")
	to.Required = true
	amountOf := stakeField("amount", "how much", "Amount in LPT (whole tokens)")
	amountOf.Required = true
	return &verb.Verb{Name: "token transfer", Menu: `Invoke "transfer" (LPT)`, Chain: true, Changes: true,
		Short:  "Send stake tokens to another account.",
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
	return &verb.Verb{Name: "token request", Menu: "Get test LPT", For: verb.TestNetworks, Chain: true, Changes: true,
		Short:  "Ask a test network's faucet for tokens.",
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
	return &verb.Verb{Name: "token request-ether", Menu: "Get test ETH", For: verb.TestNetworks, Chain: true,
		Short: "Says where a test network's ETH comes from.", Result: Hint{},
		Run: func(ctx context.Context, c *verb.Call) (verb.Result, error) {
			about, err := c.About(ctx)
			return Hint{"This program cannot make ETH. On a public test network use its faucet; on a chain of your own send " +
				"some from a funded account. Send it to the node's account:", about.Account}, err
		}}
}

func roundInitialize() *verb.Verb {
	return &verb.Verb{Name: "round initialize", Menu: `Invoke "initialize round"`, Chain: true, Changes: true,
		Short:  "Open the present round for the whole network.",
		Result: &verb.Sent{}, Run: act(adminapi.VerbInitializeRound, none)}
}
