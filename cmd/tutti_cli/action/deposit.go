package action

import (
	"context"
	"fmt"

	"github.com/tuttinode/tutti/cmd/tutti_cli/console"
	"github.com/tuttinode/tutti/cmd/tutti_cli/verb"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
)

// Deposit is `deposit status`.
type Deposit struct{ adminapi.Sender }

func depositVerbs() verb.Table {
	deposit := etherField("deposit", "what tickets are paid from", "Deposit in ETH")
	deposit.Default = "0"
	reserve := etherField("reserve", "what is put aside for the active set", "Reserve in ETH")
	reserve.Default = "0"
	return verb.Table{
		{Name: "deposit fund", Menu: `Invoke "deposit broadcasting funds" (ETH)`, For: verb.Gateways, Chain: true,
			Changes: true, Short: "Add to a gateway's deposit, its reserve or both.",
			Fields: []verb.Field{deposit, reserve}, Result: &verb.Sent{}, Ask: showing("deposit", "reserve"), Run: runFund},
		{Name: "deposit unlock", Menu: `Invoke "unlock broadcasting funds"`, For: verb.Gateways, Chain: true, Changes: true,
			Short:  "Begin to take a gateway's funds back.",
			Result: &verb.Sent{}, Ask: showUnlock, Run: act(adminapi.VerbUnlock, none)},
		{Name: "deposit cancel-unlock", Menu: `Invoke "cancel unlock of broadcasting funds"`, For: verb.Gateways,
			Chain: true, Changes: true, Short: "Keep a gateway's funds where they are.",
			Result: &verb.Sent{}, Ask: showing(), Run: act(adminapi.VerbCancelUnlock, none)},
		{Name: "deposit withdraw", Menu: `Invoke "withdraw broadcasting funds"`, For: verb.Gateways, Chain: true,
			Changes: true, Short: "Pay out a gateway's funds after the unlock period.",
			Result: &verb.Sent{}, Ask: showing(), Run: act(adminapi.VerbWithdrawFunds, none)},
		{Name: "deposit status", Chain: true, Short: "A gateway's deposit and reserve.", Result: Deposit{},
			Run: read(adminapi.PathSender, func(s adminapi.Sender) Deposit { return Deposit{s} })},
	}
}

// showing shows the funds before it asks for fields.
func showing(fields ...string) func(context.Context, *verb.Call) error {
	return func(ctx context.Context, c *verb.Call) error {
		if _, err := showFunds(ctx, c); err != nil {
			return err
		}
		for _, f := range fields {
			if err := c.AskField(ctx, f); err != nil {
				return err
			}
		}
		return nil
	}
}

func showFunds(ctx context.Context, c *verb.Call) (adminapi.Sender, error) {
	var s adminapi.Sender
	if err := c.Node.Get(ctx, adminapi.PathSender, &s); err != nil {
		return s, err
	}
	Deposit{s}.Print(c.TellPage())
	return s, nil
}

func showUnlock(ctx context.Context, c *verb.Call) error {
	s, err := showFunds(ctx, c)
	if err != nil {
		return err
	}
	chain, err := readChain(ctx, c)
	if err != nil {
		return err
	}
	c.Report("An unlock now lets you withdraw from round %d on; until then nothing is paid from these funds.",
		chain.Round.Number+s.UnlockPeriod)
	return nil
}

func runFund(ctx context.Context, c *verb.Call) (verb.Result, error) {
	deposit, reserve := verb.Get[core.Wei](c, "deposit"), verb.Get[core.Wei](c, "reserve")
	switch {
	case deposit.IsZero() && reserve.IsZero():
		return nil, verb.Mistake("give --deposit, --reserve or both, above 0")
	case reserve.IsZero():
		return sent(c.Act(ctx, adminapi.VerbFundDeposit, adminapi.Ether{Amount: deposit}))
	}
	return sent(c.Act(ctx, adminapi.VerbFundDepositAndReserve, adminapi.Funds{Deposit: deposit, Reserve: reserve}))
}

// Print writes the funds.
func (d Deposit) Print(p *console.Page) {
	defer p.Flush()
	p.Title("GATEWAY FUNDS")
	p.Row("Deposit", verb.FormatEther(d.Deposit))
	p.Row("Reserve", verb.FormatEther(d.Reserve.FundsRemaining))
	p.Row("Reserve claimed in this round", verb.FormatEther(d.Reserve.ClaimedInCurrentRound))
	state := string(d.Status)
	if d.WithdrawRound != 0 {
		state += fmt.Sprintf(", withdrawable from round %d on", d.WithdrawRound)
	}
	p.Row("State", state)
	p.Row("Unlock period", fmt.Sprintf("%d rounds", d.UnlockPeriod))
}
