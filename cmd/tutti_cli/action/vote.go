package action

import (
	"errors"
	"math/big"
	"strconv"

	"github.com/tuttinode/tutti/cmd/tutti_cli/verb"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
)

// choiceField takes a word or its number.
func choiceField(name, help, question string, words ...string) verb.Field {
	list := ""
	for i, w := range words {
		if i > 0 {
			list += ", "
		}
		list += strconv.Itoa(i) + " " + w
	}
	return verb.Field{Name: name, Meta: "CHOICE", Required: true, Help: help + ": " + list, Question: question + " (" +
		list + ")",
		Parse: func(_ *verb.Call, text string, _ verb.InputCheck) (any, error) {
			for i, w := range words {
				if text == w || text == strconv.Itoa(i) {
					return uint8(i), nil
				}
			}
			return nil, errors.New("it is one of " + list)
		}}
}

func votePoll() *verb.Verb {
	poll := addressField("poll", "the poll's contract", "Address of the poll")
	poll.Required, poll.Word = true, true
	return &verb.Verb{Name: "vote poll", Menu: "Vote in a governance poll", For: verb.Orchestrators, Chain: true,
		Changes: true, Short: "Vote in a governance poll.",
		Fields: []verb.Field{poll, choiceField("choice", "the vote", "Your vote", "yes", "no")}, Result: &verb.Sent{},
		Run: act(adminapi.VerbVoteInPoll, func(c *verb.Call) any {
			return adminapi.PollVote{Poll: verb.Get[core.Address](c, "poll"), Choice: verb.Get[uint8](c, "choice")}
		})}
}

func voteProposal() *verb.Verb {
	id := verb.Field{Name: "proposal", Word: true, Required: true, Meta: "NUMBER",
		Help: "the proposal's number in decimal", Question: "Number of the proposal",
		Parse: func(_ *verb.Call, text string, _ verb.InputCheck) (any, error) {
			n, ok := new(big.Int).SetString(text, 10)
			if !ok || n.Sign() < 0 || n.BitLen() > 256 {
				return nil, errors.New("not a proposal's number")
			}
			return n.String(), nil
		}}
	return &verb.Verb{Name: "vote proposal", Menu: "Vote on a treasury proposal", For: verb.Orchestrators, Chain: true,
		Changes: true, Short: "Vote on a treasury proposal.",
		Fields: []verb.Field{id, choiceField("support", "the vote", "Your vote", "against", "for", "abstain"),
			{Name: "reason", Meta: "TEXT", Help: "why, which is public", Question: "Reason, or nothing"}},
		Result: &verb.Sent{},
		Run: act(adminapi.VerbVoteOnProposal, func(c *verb.Call) any {
			return adminapi.ProposalVote{Proposal: verb.Get[string](c, "proposal"), Support: verb.Get[uint8](c, "support"),
				Reason: verb.Get[string](c, "reason")}
		})}
}
