package admin

import (
	"context"
	"errors"
	"net/http"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// action makes the endpoint of a verb from how its body becomes an action.
func action[T any](verb, summary string, make func(ctx context.Context, c *Chain, in T) (protocol.Action,
	error)) endpoint {
	var none T
	route := post(adminapi.ActionPath(verb), summary, none, adminapi.ActionResult{})
	route.Accepted, route.Partly = true, true
	route.Query = []adminapi.QueryParameter{
		boolParameter(adminapi.QueryDryRun, "estimate and send nothing"),
		{Name: adminapi.QueryWait, About: "answer when it is mined (as if absent) or submitted",
			Values: []string{adminapi.WaitMined, adminapi.WaitSubmitted}},
	}
	return endpoint{Route: route, chain: true, serve: func(s *Server, r *http.Request) (any, error) {
		in, err := body[T](r)
		if err != nil {
			return nil, err
		}
		a, err := make(r.Context(), s.opts.Chain, in)
		if err != nil {
			return nil, err
		}
		return s.do(r, a)
	}}
}

// do estimates an action or does it, as the query says.
func (s *Server) do(r *http.Request, a protocol.Action) (any, error) {
	if flag(r, adminapi.QueryDryRun, "true") {
		e, err := s.estimate(r.Context(), a)
		return adminapi.ActionResult{Estimate: &e}, err
	}
	async := flag(r, adminapi.QueryWait, adminapi.WaitSubmitted)
	out, err := s.act(r.Context(), a, async)
	switch {
	case errors.Is(err, fault.TransactionPending) && out.Transaction != nil:
		return pending{out}, nil
	case err != nil && len(out.Before) > 0, err != nil && out.Transaction != nil:
		why := errorOf(err)
		out.Error = &why
		return nil, partialError{out, err}
	case err == nil && async:
		return pending{out}, nil
	}
	return out, err
}

// simple returns an action that its body is enough for.
func simple[T any](verb, summary string, make func(in T) protocol.Action) endpoint {
	return action(verb, summary, func(_ context.Context, _ *Chain, in T) (protocol.Action, error) { return make(in), nil })
}

// bare returns an action without fields.
func bare(verb, summary string, a protocol.Action) endpoint {
	return simple(verb, summary, func(adminapi.None) protocol.Action { return a })
}

// actionEndpoints returns all that the account can do on the chain.
func actionEndpoints() []endpoint {
	out := stakeActions()
	out = append(out, orchestratorActions()...)
	return append(out, fundActions()...)
}

func stakeActions() []endpoint {
	return []endpoint{
		simple(adminapi.VerbApprove, "Let the bonding contract take tokens",
			func(in adminapi.Tokens) protocol.Action { return protocol.Approve{Amount: in.Amount} }),
		simple(adminapi.VerbBond, "Delegate more stake; the approval is sent first where it is missing",
			func(in adminapi.TokensTo) protocol.Action {
				return protocol.Bond{Amount: in.Amount, To: in.To}
			}),
		simple(adminapi.VerbUnbond, "Take stake back, into a lock",
			func(in adminapi.Tokens) protocol.Action { return protocol.Unbond{Amount: in.Amount} }),
		simple(adminapi.VerbRebond, "Undo an unbonding lock",
			func(in adminapi.Lock) protocol.Action { return protocol.Rebond{Lock: in.Lock} }),
		simple(adminapi.VerbRebondFromUnbonded, "Bond a lock of an account without other bond",
			func(in adminapi.LockTo) protocol.Action {
				return protocol.RebondFromUnbonded{To: in.To, Lock: in.Lock}
			}),
		simple(adminapi.VerbWithdrawStake, "Pay a lock out",
			func(in adminapi.Lock) protocol.Action { return protocol.WithdrawStake{Lock: in.Lock} }),
		action(adminapi.VerbWithdrawFees, "Pay earned fees out", withdrawFees),
		bare(adminapi.VerbClaimEarnings, "Book rewards and fees up to the present round", protocol.ClaimEarnings{}),
		simple(adminapi.VerbTransferTokens, "Send stake tokens", func(in adminapi.TokensTo) protocol.Action {
			return protocol.TransferTokens{To: in.To, Amount: in.Amount}
		}),
		bare(adminapi.VerbRequestTokens, "Ask a test network's faucet", protocol.RequestTokens{}),
		bare(adminapi.VerbInitializeRound, "Open the present round for all orchestrators", protocol.InitializeRound{}),
	}
}

// withdrawFees pays all that is pending where no amount is given.
func withdrawFees(ctx context.Context, c *Chain, in adminapi.FeesTo) (protocol.Action, error) {
	out := protocol.WithdrawFees{Recipient: c.Actor.Account()}
	if in.Recipient != nil {
		out.Recipient = *in.Recipient
	}
	if in.Amount != nil {
		out.Amount = *in.Amount
		return out, nil
	}
	d, err := c.Stakes.Delegator(ctx, c.Actor.Account())
	out.Amount = d.PendingFees
	return out, err
}

func orchestratorActions() []endpoint {
	return []endpoint{
		action(adminapi.VerbSetCommission, "Set both cuts", setCommission),
		action(adminapi.VerbSetServiceURI, "Publish the orchestrator's address",
			func(_ context.Context, c *Chain, in adminapi.ServiceURI) (protocol.Action, error) {
				uri, err := parseServiceURI(in.URI)
				if err != nil {
					return nil, badBody("field uri: " + err.Error())
				}
				return protocol.SetServiceURI{URI: uri}, c.mustOwn()
			}),
		action(adminapi.VerbReward, "Call reward for the orchestrator that the node works for",
			func(_ context.Context, c *Chain, _ adminapi.None) (protocol.Action, error) {
				return c.rewardAction(), nil
			}),
		simple(adminapi.VerbRewardFor, "Call reward for an orchestrator that named the account its reward caller",
			func(in adminapi.RewardOf) protocol.Action {
				return protocol.RewardFor{Orchestrator: in.Orchestrator}
			}),
		action(adminapi.VerbSetRewardCaller, "Name the account that may call reward; the zero address revokes",
			func(_ context.Context, c *Chain, in adminapi.RewardCaller) (protocol.Action, error) {
				return protocol.SetRewardCaller{Caller: in.Caller}, c.mustOwn()
			}),
		action(adminapi.VerbVoteInPoll, "Vote in a governance poll: 0 yes, 1 no",
			func(_ context.Context, _ *Chain, in adminapi.PollVote) (protocol.Action, error) {
				if in.Choice > 1 {
					return nil, badBody("field choice: 0 is yes, 1 is no")
				}
				return protocol.VoteInPoll{Poll: in.Poll, Choice: in.Choice}, nil
			}),
		action(adminapi.VerbVoteOnProposal, "Vote on a treasury proposal: 0 against, 1 for, 2 abstain", voteOnProposal),
	}
}

func setCommission(_ context.Context, c *Chain, in adminapi.Commission) (protocol.Action, error) {
	if (in.FeeCut == nil) == (in.FeeShare == nil) {
		return nil, badBody("exactly one of feeCut and feeShare is needed")
	}
	share := in.FeeShare
	if share == nil {
		if err := atMostWhole("feeCut", in.FeeCut); err != nil {
			return nil, err
		}
		rest := in.FeeCut.Rest()
		share = &rest
	}
	for name, cut := range map[string]*core.PerMillion{"rewardCut": &in.RewardCut, "feeShare": share} {
		if err := atMostWhole(name, cut); err != nil {
			return nil, err
		}
	}
	return protocol.SetCommission{RewardCut: in.RewardCut, FeeShare: *share}, c.mustOwn()
}

func atMostWhole(name string, cut *core.PerMillion) error {
	if cut != nil && *cut > core.Whole {
		return badBody("field " + name + ": more than 1000000 parts per million")
	}
	return nil
}

func voteOnProposal(_ context.Context, _ *Chain, in adminapi.ProposalVote) (protocol.Action, error) {
	proposal, err := parseProposal(in.Proposal)
	if err != nil {
		return nil, badBody("field proposal: " + err.Error())
	}
	if in.Support > 2 {
		return nil, badBody("field support: 0 is against, 1 for, 2 abstain")
	}
	return protocol.VoteOnProposal{Proposal: proposal, Support: in.Support, Reason: in.Reason}, nil
}

func fundActions() []endpoint {
	return []endpoint{
		simple(adminapi.VerbFundDeposit, "Add to a gateway's deposit",
			func(in adminapi.Ether) protocol.Action { return protocol.FundDeposit{Amount: in.Amount} }),
		simple(adminapi.VerbFundDepositAndReserve, "Add to a gateway's deposit and reserve",
			func(in adminapi.Funds) protocol.Action {
				return protocol.FundDepositAndReserve{Deposit: in.Deposit, Reserve: in.Reserve}
			}),
		bare(adminapi.VerbUnlock, "Start the way out of a gateway's funds", protocol.Unlock{}),
		bare(adminapi.VerbCancelUnlock, "End it", protocol.CancelUnlock{}),
		bare(adminapi.VerbWithdrawFunds, "Pay a gateway's funds out after the unlock period", protocol.WithdrawFunds{}),
	}
}
