package doctor

import (
	"context"
	"fmt"

	"github.com/tuttinode/tutti/core/fault"
)

// gasLeftLow is how many transactions the account should be able to pay.
const minTransactions = 20

func keyChecks() []Check {
	account := func(check func(*World, Account) Observation) func(context.Context, *World) Observation {
		return skipUnless(usesChain, noChain, probeCheck(func(w *World) Probe[Account] { return w.Account }, check))
	}
	return []Check{
		{
			Name: "keys.account", Group: GroupKeys, Title: "there is one account to use",
			Fails: codes(fault.AccountUnknown, fault.AccountAmbiguous, fault.KeystoreUnusable,
				fault.AccountFileInvalid),
			Warns: codes(fault.AccountMissing), run: account(func(_ *World,
				a Account) Observation {
				return withEvidence(a.Findings, a.Address)
			}),
		},
		{
			Name: "keys.file", Group: GroupKeys, Title: "other users cannot read the key file",
			Fails: codes(fault.AccountFileOpen), run: account(checkKeyFile),
		},
		{
			Name: "keys.password", Group: GroupKeys, Title: "the passphrase opens the key",
			Fails: codes(fault.AccountPassword), Warns: codes(fault.AccountPasswordMissing),
			run: account(checkPassword),
		},
		{
			Name: "keys.gas", Group: GroupKeys, Title: "the account can pay for gas",
			Fails: codes(fault.GasMoneyMissing), Warns: codes(fault.GasMoneyLow, fault.GasPriceAboveMax,
				fault.GasEstimateFailed), run: onChain(checkGas),
		},
		{
			Name: "keys.transactions", Group: GroupKeys, Title: "transactions go through",
			Fails: codes(fault.TxJournalFailed, fault.RedemptionFailing, fault.TicketExpiring, fault.TicketsLost,
				fault.SigningRefused),
			Warns: codes(fault.TxStuck, fault.ForeignTransaction, fault.TxQueueFull, fault.RedeemerUnreachable,
				fault.RedeemerUntrusted, fault.RedeemerRefuses,
				fault.HandedUnpaid, fault.SenderFundsLow),
			run: skipUnless(usesChain, noChain, fromNode("no problem with transactions or tickets")),
		},
		{
			Name: "keys.redeemer", Group: GroupKeys,
			Title: "a redeemer on another machine shows a certificate that is checked",
			Warns: codes(fault.RedeemerUnpinned),
			run: skipUnless(func(s *Setup) bool { return s.Redeemer != "" && !s.OffChain },
				"no other process redeems this one's tickets", checkRedeemer),
		},
	}
}

// fromNode returns a check that only the running node can answer: its conditions are added to
// every check's.
func fromNode(evidence string) func(context.Context, *World) Observation {
	return func(ctx context.Context, w *World) Observation {
		r, err := w.Running.Get(ctx)
		switch {
		case err != nil:
			return couldNotRun(err)
		case !r.Up:
			return skip("no node runs with this configuration")
		}
		return pass(evidence)
	}
}

// checkRedeemer checks that no other machine can impersonate the redeemer.
func checkRedeemer(_ context.Context, w *World) Observation {
	if w.Setup.RedeemerOpen {
		return finding(fault.RedeemerUnpinned, w.Setup.Redeemer)
	}
	return pass(w.Setup.Redeemer + " is on this machine, or its certificate is checked")
}

func checkKeyFile(_ *World, a Account) Observation {
	if a.File == "" && len(a.Findings) == 0 {
		return skip("there is no key file yet")
	}
	s := withEvidence(a.Findings, a.File)
	s.Repair = a.Repair
	if a.File == "" {
		s.Skipped = "there is no key file"
	}
	return s
}

func checkPassword(_ *World, a Account) Observation {
	s := withEvidence(a.Findings, "it opens "+a.Address)
	if !a.Opened {
		s.Skipped = "there was no need or no way to try it"
	}
	return s
}

func checkGas(_ *World, c ChainState) Observation {
	return c.ifKnown(func() Observation {
		if c.Account == "" || c.Ether == "" {
			return skip("no account is known yet, or its balance could not be read")
		}
		text := fmt.Sprintf("%s has %s ETH, enough for about %d transactions", c.Account, c.Ether, c.GasLeft)
		switch {
		case c.GasLeft == 0:
			return finding(fault.GasMoneyMissing, text)
		case c.GasLeft < minTransactions:
			return finding(fault.GasMoneyLow, text)
		}
		return pass(text)
	})
}
