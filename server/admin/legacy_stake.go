package admin

import (
	"net/http"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// actionHandler makes a route that does one action and answers with nothing.
func actionHandler(make func(c *Chain, f form) (protocol.Action, error)) func(*Server, http.ResponseWriter,
	*http.Request) error {
	return actionHandlerText("", make)
}

// actionHandlerText makes a route that does one action and answers with a text.
func actionHandlerText(text string, make func(c *Chain, f form) (protocol.Action, error)) func(*Server,
	http.ResponseWriter,
	*http.Request) error {
	return func(s *Server, w http.ResponseWriter, r *http.Request) error {
		f, err := formOf(w, r)
		if err != nil {
			return err
		}
		a, err := make(s.opts.Chain, f)
		if err != nil {
			return err
		}
		if _, err := s.act(r.Context(), a, false); err != nil {
			return err
		}
		writeText(w, text)
		return nil
	}
}

// fixedAction returns an action without parameters.
func fixedAction(a protocol.Action) func(*Chain, form) (protocol.Action, error) {
	return func(*Chain, form) (protocol.Action, error) { return a, nil }
}

// stakeRoutes move tokens, stake and what they earned.
func stakeRoutes() []legacy {
	return []legacy{
		{path: "/bond", chain: true, changes: true, serve: actionHandler(bond)},
		{path: "/unbond", chain: true, changes: true, serve: actionHandler(func(_ *Chain, f form) (protocol.Action, error) {
			amount, err := value(f, "amount", core.ParseLPT)
			return protocol.Unbond{Amount: amount}, err
		})},
		{path: "/rebond", chain: true, changes: true, serve: actionHandler(rebond)},
		{path: "/withdrawStake", chain: true, changes: true,
			serve: actionHandler(func(_ *Chain, f form) (protocol.Action, error) {
				id, err := value(f, "unbondingLockId", parseLock)
				return protocol.WithdrawStake{Lock: id}, err
			})},
		{path: "/withdrawFees", chain: true, changes: true,
			serve: actionHandler(func(c *Chain, f form) (protocol.Action, error) {
				amount, err := value(f, "amount", core.ParseWei)
				return protocol.WithdrawFees{Recipient: c.Actor.Account(), Amount: amount}, err
			})},
		{path: "/claimEarnings", chain: true, changes: true, serve: actionHandler(fixedAction(protocol.ClaimEarnings{}))},
		{path: "/transferTokens", chain: true, changes: true,
			serve: actionHandler(func(_ *Chain, f form) (protocol.Action, error) {
				to, err := value(f, "to", core.ParseAddress)
				if err != nil {
					return nil, err
				}
				amount, err := value(f, "amount", core.ParseLPT)
				return protocol.TransferTokens{To: to, Amount: amount}, err
			})},
		{path: "/requestTokens", chain: true, changes: true, serve: actionHandler(fixedAction(protocol.RequestTokens{}))},
		{path: "/initializeRound", chain: true, changes: true, serve: actionHandler(fixedAction(protocol.InitializeRound{}))},
	}
}

func bond(_ *Chain, f form) (protocol.Action, error) {
	amount, err := value(f, "amount", core.ParseLPT)
	if err != nil {
		return nil, err
	}
	to, err := value(f, "toAddr", core.ParseAddress)
	return protocol.Bond{Amount: amount, To: to}, err
}

// rebond bonds a lock again: to the present delegate, or where there is none to
// the one that is named.
func rebond(_ *Chain, f form) (protocol.Action, error) {
	id, err := value(f, "unbondingLockId", parseLock)
	if err != nil {
		return nil, err
	}
	to, err := optional(f, "toAddr", core.ParseAddress)
	if err != nil || to == nil {
		return protocol.Rebond{Lock: id}, err
	}
	return protocol.RebondFromUnbonded{To: *to, Lock: id}, nil
}

// fundRoutes move a gateway's money.
func fundRoutes() []legacy {
	return []legacy{
		{path: "/fundDepositAndReserve", chain: true, changes: true,
			serve: actionHandlerText("fundDepositAndReserve success", func(_ *Chain, f form) (protocol.Action, error) {
				deposit, err := value(f, "depositAmount", core.ParseWei)
				if err != nil {
					return nil, err
				}
				reserve, err := value(f, "reserveAmount", core.ParseWei)
				return protocol.FundDepositAndReserve{Deposit: deposit, Reserve: reserve}, err
			})},
		{path: "/fundDeposit", chain: true, changes: true,
			serve: actionHandlerText("fundDeposit success", func(_ *Chain, f form) (protocol.Action, error) {
				amount, err := value(f, "amount", core.ParseWei)
				return protocol.FundDeposit{Amount: amount}, err
			})},
		{path: "/unlock", chain: true, changes: true, serve: actionHandlerText("unlock success",
			fixedAction(protocol.Unlock{}))},
		{path: "/cancelUnlock", chain: true, changes: true,
			serve: actionHandlerText("cancelUnlock success", fixedAction(protocol.CancelUnlock{}))},
		{path: "/withdraw", chain: true, changes: true, serve: actionHandlerText("withdraw success",
			fixedAction(protocol.WithdrawFunds{}))},
	}
}
