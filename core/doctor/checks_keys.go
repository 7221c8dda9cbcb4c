package doctor

import (
	"context"
	"fmt"

	"github.com/tuttinode/tutti/core/fault"
)

// gasLeftLow is how many transactions the account should be able to pay.
const gasLeftLow = 20

func keyChecks() []Check {
	account := func(judge func(*World, Account) Seen) func(context.Context, *World) Seen {
		return when(paid, noChain, about(func(w *World) Probe[Account] { return w.Account }, judge))
	}
	return []Check{
		{
			Name: "keys.account", Group: GroupKeys, Title: "there is one account to use",
			Fails: codes(fault.AccountUnknown, fault.AccountAmbiguous, fault.KeystoreUnusable, fault.AccountFileInvalid),
			Warns: codes(fault.AccountMissing), look: account(func(_ *World, a Account) Seen { return with(a.Findings, a.Address) }),
		},
		{
			Name: "keys.file", Group: GroupKeys, Title: "other users cannot read the key file",
			Fails: codes(fault.AccountFileOpen), look: account(judgeKeyFile),
		},
		{
			Name: "keys.password", Group: GroupKeys, Title: "the passphrase opens the key",
			Fails: codes(fault.AccountPassword), Warns: codes(fault.AccountPasswordMissing), look: account(judgePassword),
		},
		{
			Name: "keys.gas", Group: GroupKeys, Title: "the account can pay for gas",
			Fails: codes(fault.GasMoneyMissing), Warns: codes(fault.GasMoneyLow, fault.GasPriceAboveMax, fault.GasEstimateFailed), look: onChain(judgeGas),
		},
		{
			Name: "keys.transactions", Group: GroupKeys, Title: "transactions go through",
			Fails: codes(fault.TxJournalFailed, fault.RedemptionFailing, fault.TicketExpiring, fault.TicketsLost, fault.SigningRefused),
			Warns: codes(fault.TxStuck, fault.ForeignTransaction, fault.TxQueueFull, fault.RedeemerUnreachable,
				fault.RedeemerUntrusted, fault.RedeemerRefuses,
				fault.HandedUnpaid, fault.SenderFundsLow),
			look: when(paid, noChain, beside("no problem with transactions or tickets")),
		},
		{
			Name: "keys.redeemer", Group: GroupKeys, Title: "a redeemer on another machine shows a certificate that is checked", Warns: codes(fault.RedeemerUnpinned),
			look: when(func(s *Setup) bool { return s.Redeemer != "" && !s.OffChain },
				"no other process redeems this one's tickets", judgeRedeemer),
		},
	}
}

// beside is a check that only the running node can answer: its conditions are added to
// every check's.
func beside(evidence string) func(context.Context, *World) Seen {
	return func(ctx context.Context, w *World) Seen {
		r, err := w.Running.Get(ctx)
		switch {
		case err != nil:
			return broken(err)
		case !r.Up:
			return skip("no node runs with this configuration")
		}
		return fine(evidence)
	}
}

// checkRedeemer checks that no other machine can impersonate the redeemer.
func judgeRedeemer(_ context.Context, w *World) Seen {
	if w.Setup.RedeemerOpen {
		return found(fault.RedeemerUnpinned, w.Setup.Redeemer)
	}
	return fine(w.Setup.Redeemer + " is on this machine, or its certificate is checked")
}

func judgeKeyFile(_ *World, a Account) Seen {
	if a.File == "" && len(a.Findings) == 0 {
		return skip("there is no key file yet")
	}
	s := with(a.Findings, a.File)
	s.Repair = a.Repair
	if a.File == "" {
		s.Skipped = "there is no key file"
	}
	return s
}

func judgePassword(_ *World, a Account) Seen {
	s := with(a.Findings, "it opens "+a.Address)
	if !a.Opened {
		s.Skipped = "there was no need or no way to try it"
	}
	return s
}

func judgeGas(_ *World, c ChainState) Seen {
	return c.seen(func() Seen {
		if c.Account == "" || c.Ether == "" {
			return skip("no account is known yet, or its balance could not be read")
		}
		text := fmt.Sprintf("%s has %s ETH, enough for about %d transactions", c.Account, c.Ether, c.GasLeft)
		switch {
		case c.GasLeft == 0:
			return found(fault.GasMoneyMissing, text)
		case c.GasLeft < gasLeftLow:
			return found(fault.GasMoneyLow, text)
		}
		return fine(text)
	})
}
