// Package action is what tutti_cli can do: the table of its verbs, one file per
// group, each verb with its fields and its few lines of work. Command line and
// menu use the same rows.
//
// It decides no rule of the protocol and computes no amount: the node does, and
// says what it would cost before anything is sent. main and the generators of the
// documents call Table.
//
// The JSON Schemas of what the verbs write with --json are derived from the same types and kept in
// one file per verb; tests hold every real answer against them.
package action

import (
	"github.com/tuttinode/tutti/cmd/tutti_cli/verb"
)

// Table returns all verbs. The menu shows them in this order, which operators know by
// heart from the network's existing tool.
func Table() verb.Table {
	t := verb.Table{status(), parameters(), orchestrators(), roundInitialize()}
	t = append(t, stakeVerbs()...)
	t = append(t, feesWithdraw(), tokenTransfer(), rewardCall())
	t = append(t, activate(), configure(), rewardCaller())
	t = append(t, depositVerbs()...)
	t = append(t, broadcastVerbs()...)
	t = append(t, gasMax(), gasMin(), tokenRequest(), testEther())
	t = append(t, signMessage(), signTypedData(), votePoll(), voteProposal())
	t = append(t, maxFaceValue(), priceGateway(), sessionsSet())
	t = append(t, lookVerbs()...)
	t = append(t, serviceURI(), priceSet(), priceList(), rewardStatus(), gasShow(), gasSet())
	t = append(t, workerVerbs()...)
	t = append(t, runnerVerbs()...)
	t = append(t, capabilityVerbs()...)
	t = append(t, modelVerbs()...)
	t = append(t, processVerbs()...)
	t = append(t, ticketVerbs()...)
	t = append(t, contractVerbs()...)
	t = append(t, incomeVerbs()...)
	t = append(t, spendingVerbs()...)
	t = append(t, accountVerbs()...)
	return append(t, toolVerbs()...)
}
