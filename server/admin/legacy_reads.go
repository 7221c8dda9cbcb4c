package admin

import (
	"context"
	"math/big"
	"net/http"
	"strconv"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// readRoutes tell what the chain says.
func readRoutes() []legacy {
	return []legacy{
		{path: "/currentBlock", chain: true, serve: (*Server).currentBlock},
		{path: "/currentRound", chain: true,
			serve: roundText(func(r protocol.RoundState) string { return strconv.FormatUint(uint64(r.Number), 10) })},
		{path: "/roundInitialized", chain: true,
			serve: roundText(func(r protocol.RoundState) string { return strconv.FormatBool(r.Initialized) })},
		{path: "/orchestratorInfo", chain: true, serve: (*Server).orchestratorInfo},
		{path: "/registeredOrchestrators", chain: true, serve: (*Server).registeredOrchestrators},
		{path: "/delegatorInfo", chain: true, serve: (*Server).delegatorInfo},
		{path: "/unbondingLocks", chain: true, serve: (*Server).unbondingLocks},
		{path: "/orchestratorEarningPoolsForRound", chain: true, serve: (*Server).earningPools},
		{path: "/protocolParameters", chain: true, serve: jsonOf(func(c *Chain, ctx context.Context) (any, error) {
			p, err := c.Settings.Parameters(ctx)
			return oldParametersOf(p), err
		})},
		{path: "/contractAddresses", chain: true, serve: jsonOf(func(c *Chain, _ context.Context) (any,
			error) {
			return contracts(c), nil
		})},
		{path: "/ethAddr", chain: true, serve: text(func(s *Server) string { return s.opts.Chain.Actor.Account().String() })},
		{path: "/tokenBalance", chain: true,
			serve: balanceText(func(b protocol.Balances) string { return b.Token.String() })},
		{path: "/ethBalance", chain: true, serve: balanceText(func(b protocol.Balances) string { return b.Ether.String() })},
		{path: "/senderInfo", chain: true, serve: jsonOf(func(c *Chain, ctx context.Context) (any, error) {
			sender, err := c.Funds.Sender(ctx, c.Actor.Account())
			return oldSenderOf(sender), err
		})},
		{path: "/ticketBrokerParams", chain: true, serve: jsonOf(func(c *Chain, ctx context.Context) (any, error) {
			p, err := c.Settings.Parameters(ctx)
			return struct{ UnlockPeriod uint64 }{uint64(p.UnlockPeriod)}, err
		})},
		{path: "/rewardCaller", chain: true, serve: (*Server).rewardCaller},
	}
}

// jsonOf answers with what a read gives.
func jsonOf(read func(*Chain, context.Context) (any, error)) func(*Server, http.ResponseWriter, *http.Request) error {
	return func(s *Server, w http.ResponseWriter, r *http.Request) error {
		v, err := read(s.opts.Chain, r.Context())
		if err != nil {
			return err
		}
		writeJSON(w, v)
		return nil
	}
}

func roundText(f func(protocol.RoundState) string) func(*Server, http.ResponseWriter, *http.Request) error {
	return func(s *Server, w http.ResponseWriter, r *http.Request) error {
		round, err := s.opts.Chain.Rounds.Round(r.Context())
		if err != nil {
			return err
		}
		writeText(w, f(round))
		return nil
	}
}

func balanceText(f func(protocol.Balances) string) func(*Server, http.ResponseWriter, *http.Request) error {
	return func(s *Server, w http.ResponseWriter, r *http.Request) error {
		b, err := s.opts.Chain.Funds.Balances(r.Context(), s.opts.Chain.Actor.Account())
		if err != nil {
			return err
		}
		writeText(w, f(b))
		return nil
	}
}

// currentBlock answers with the number's bytes, highest first.
func (s *Server) currentBlock(w http.ResponseWriter, r *http.Request) error {
	view := s.opts.Chain.Views.View()
	head := view.Head
	if !view.Known {
		var err error
		if head, err = s.opts.Chain.Rounds.Head(r.Context()); err != nil {
			return err
		}
	}
	writeBytes(w, new(big.Int).SetUint64(uint64(head.Number)).Bytes())
	return nil
}

// ownPrice returns what the node asks of gateways without a price of their own; nil
// where it is not known.
func (s *Server) ownPrice() *big.Rat {
	if s.opts.Market.Prices == nil {
		return nil
	}
	price, ok := s.opts.Market.Prices.PricePerPixel(core.Address{})
	if !ok {
		return nil
	}
	return price
}

// priceOf returns the price of an orchestrator where it is this node's.
func (s *Server) priceOf(address core.Address) *big.Rat {
	if address != s.opts.Chain.orchestrator() {
		return nil
	}
	return s.ownPrice()
}

func (s *Server) orchestratorInfo(w http.ResponseWriter, r *http.Request) error {
	c := s.opts.Chain
	o, err := c.Stakes.Orchestrator(r.Context(), c.orchestrator())
	if err != nil {
		return err
	}
	writeJSON(w, struct {
		Transcoder oldOrchestrator
		PriceInfo  *big.Rat
	}{oldOrchestratorOf(o, s.ownPrice()), s.ownPrice()})
	return nil
}

func (s *Server) registeredOrchestrators(w http.ResponseWriter, r *http.Request) error {
	pool, err := s.opts.Chain.Stakes.Pool(r.Context())
	if err != nil {
		return err
	}
	out := make([]oldOrchestrator, 0, len(pool))
	for _, o := range pool {
		out = append(out, oldOrchestratorOf(o, s.priceOf(o.Address)))
	}
	writeJSON(w, out)
	return nil
}

func (s *Server) delegatorInfo(w http.ResponseWriter, r *http.Request) error {
	d, err := s.opts.Chain.Stakes.Delegator(r.Context(), s.opts.Chain.Actor.Account())
	if err != nil {
		return err
	}
	writeJSON(w, oldDelegatorOf(d))
	return nil
}

func (s *Server) unbondingLocks(w http.ResponseWriter, r *http.Request) error {
	f, err := formOf(w, r)
	if err != nil {
		return err
	}
	ripe, err := optional(f, "withdrawable", strconv.ParseBool)
	if err != nil {
		return badParam("withdrawable %s is neither true nor false", quote(f.Get("withdrawable")))
	}
	locks, err := s.locks(r.Context())
	if err != nil {
		return err
	}
	out := []oldLock{}
	for _, l := range locks {
		if ripe == nil || !*ripe || l.ripe {
			out = append(out, oldLock{ID: uint64(l.ID), Delegator: oldAddress(l.Delegator), Amount: l.Amount.Big(),
				WithdrawRound: uint64(l.WithdrawRound)})
		}
	}
	writeJSON(w, out)
	return nil
}

// lock is an unbonding lock, and whether it can be paid out now.
type lock struct {
	protocol.UnbondingLock
	ripe bool
}

func (s *Server) locks(ctx context.Context) ([]lock, error) {
	c := s.opts.Chain
	all, err := c.Stakes.UnbondingLocks(ctx, c.Actor.Account())
	if err != nil {
		return nil, err
	}
	round, err := c.Rounds.Round(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]lock, 0, len(all))
	for _, l := range all {
		out = append(out, lock{l, round.Initialized && l.WithdrawRound <= round.Number})
	}
	return out, nil
}

func (s *Server) earningPools(w http.ResponseWriter, r *http.Request) error {
	f, err := formOf(w, r)
	if err != nil {
		return err
	}
	round, err := value(f, "round", parseNumber[protocol.Round])
	if err != nil {
		return err
	}
	c := s.opts.Chain
	p, err := c.Stakes.EarningsPool(r.Context(), c.orchestrator(), round)
	if err != nil {
		return err
	}
	writeJSON(w, struct {
		TotalStake             *big.Int
		TranscoderRewardCut    core.PerMillion
		TranscoderFeeShare     core.PerMillion
		CumulativeRewardFactor *big.Int
		CumulativeFeeFactor    *big.Int
	}{p.TotalStake.Big(), p.RewardCut, p.FeeShare, orZero(p.RewardFactor), orZero(p.FeeFactor)})
	return nil
}

func orZero(n *big.Int) *big.Int {
	if n == nil {
		return new(big.Int)
	}
	return n
}

// contracts returns the addresses that the existing node shows.
func contracts(c *Chain) map[string]oldAddress {
	known := c.Settings.Contracts()
	out := map[string]oldAddress{}
	for _, name := range []string{"Controller", "LivepeerToken", "LivepeerTokenFaucet", "TicketBroker", "RoundsManager",
		"BondingManager", "Minter"} {
		out[name] = oldAddress(known[name])
	}
	return out
}

func (s *Server) rewardCaller(w http.ResponseWriter, r *http.Request) error {
	c := s.opts.Chain
	o, err := c.Stakes.Orchestrator(r.Context(), c.orchestrator())
	if err != nil {
		return err
	}
	writeText(w, o.RewardCaller.String())
	return nil
}
