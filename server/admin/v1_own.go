package admin

import (
	"net/http"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/protocol"
)

// ownEndpoints tell of the node's own account, stake and money.
func ownEndpoints() []endpoint {
	return []endpoint{
		{Route: get(adminapi.PathOrchestrator, "The orchestrator that the node works for", adminapi.Orchestrator{}),
			chain: true,
			serve: func(s *Server, r *http.Request) (any, error) {
				address := s.opts.Chain.orchestrator()
				o, err := s.opts.Chain.Stakes.Orchestrator(r.Context(), address)
				return orchestratorOf(o, s.priceText(address)), err
			}},
		{Route: get(adminapi.PathDelegator, "The account's own stake", adminapi.Delegator{}), chain: true,
			serve: delegatorV1},
		{Route: get(adminapi.PathUnbondingLocks, "The account's stake on its way out", adminapi.UnbondingLocks{}),
			chain: true, serve: locksV1},
		{Route: get(adminapi.PathBalances, "The account's means", adminapi.Balances{}), chain: true,
			serve: func(s *Server, r *http.Request) (any, error) {
				b, err := s.opts.Chain.Funds.Balances(r.Context(), s.opts.Chain.Actor.Account())
				return adminapi.Balances(b), err
			}},
		{Route: get(adminapi.PathSender, "A gateway's money at the ticket broker", adminapi.Sender{}), chain: true,
			serve: senderV1},
		{Route: get(adminapi.PathReward, "The machine that calls reward once a round", adminapi.Reward{}), chain: true,
			serve: func(s *Server, _ *http.Request) (any, error) {
				if s.opts.Chain.Reward == nil {
					return nil, absent("reward machine")
				}
				return rewardOf(s.opts.Chain.Reward()), nil
			}},
		{Route: get(adminapi.PathTransactions, "Transactions on their way, and the last that ended", adminapi.Transactions{}),
			chain: true,
			serve: func(s *Server, _ *http.Request) (any, error) {
				out := adminapi.Transactions{Transactions: []adminapi.Transaction{}}
				for _, t := range s.opts.Chain.Actor.Transactions() {
					out.Transactions = append(out.Transactions, transactionOf(t))
				}
				return out, nil
			}},
	}
}

func delegatorV1(s *Server, r *http.Request) (any, error) {
	d, err := s.opts.Chain.Stakes.Delegator(r.Context(), s.opts.Chain.Actor.Account())
	return adminapi.Delegator{
		Address: d.Address, Bonded: d.Bonded, Fees: d.Fees, PendingStake: d.PendingStake, PendingFees: d.PendingFees,
		Delegate: orNull(d.Delegate), DelegatedAmount: d.DelegatedAmount, StartRound: d.StartRound,
		LastClaimRound: d.LastClaimRound,
		NextLockID:     d.NextLockID, Status: d.Status.String(),
	}, err
}

func locksV1(s *Server, r *http.Request) (any, error) {
	locks, err := s.locks(r.Context())
	out := adminapi.UnbondingLocks{Locks: []adminapi.UnbondingLock{}}
	for _, l := range locks {
		out.Locks = append(out.Locks, adminapi.UnbondingLock{ID: l.ID, Amount: l.Amount, WithdrawRound: l.WithdrawRound,
			Withdrawable: l.ripe})
	}
	return out, err
}

func senderV1(s *Server, r *http.Request) (any, error) {
	c := s.opts.Chain
	sender, err := c.Funds.Sender(r.Context(), c.Actor.Account())
	if err != nil {
		return nil, err
	}
	round, err := c.Rounds.Round(r.Context())
	if err != nil {
		return nil, err
	}
	p, err := c.Settings.Parameters(r.Context())
	return adminapi.Sender{Deposit: sender.Deposit, WithdrawRound: sender.WithdrawRound,
		Reserve: adminapi.Reserve(sender.Reserve),
		Status:  senderStatus(sender, round.Number), UnlockPeriod: p.UnlockPeriod}, err
}

func senderStatus(s protocol.Sender, now protocol.Round) adminapi.SenderStatus {
	switch {
	case s.Deposit.IsZero() && s.Reserve.FundsRemaining.IsZero():
		return adminapi.SenderEmpty
	case s.WithdrawRound == 0:
		return adminapi.SenderLocked
	case s.WithdrawRound > now:
		return adminapi.SenderUnlocking
	}
	return adminapi.SenderUnlocked
}
