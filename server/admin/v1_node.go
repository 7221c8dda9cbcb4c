package admin

import (
	"net/http"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// get returns the description of a path that is read.
func get(path, summary string, answer any) adminapi.Route {
	return adminapi.Route{Method: http.MethodGet, Path: path, Summary: summary, Answer: answer}
}

// post returns the description of a path that changes something.
func post(path, summary string, body, answer any) adminapi.Route {
	return adminapi.Route{Method: http.MethodPost, Path: path, Summary: summary, Body: body, Answer: answer, Change: true}
}

// nodeEndpoints tell of the node itself, on the chain or not.
func nodeEndpoints() []endpoint {
	return []endpoint{
		{Route: get(adminapi.PathOpenAPI, "This API, described", nil), serve: func(s *Server, _ *http.Request) (any, error) {
			return adminapi.OpenAPI(s.node().Version, Routes()), nil
		}},
		{Route: get(adminapi.PathNode, "What kind of node this is", adminapi.Node{}),
			serve: func(s *Server, _ *http.Request) (any, error) { return s.node(), nil }},
		{Route: get(adminapi.PathConditions, "The node's lasting problems, root causes first", adminapi.Conditions{}),
			serve: conditionsV1},
		{Route: get(adminapi.PathServiceAddress, "The node's public address, and whether it is right",
			adminapi.ServiceAddress{}),
			serve: func(s *Server, _ *http.Request) (any, error) {
				if s.opts.Node.ServiceAddress == nil {
					return nil, absent("public address")
				}
				return s.opts.Node.ServiceAddress(), nil
			}},
	}
}

func (s *Server) node() adminapi.Node {
	var n adminapi.Node
	if s.opts.Node.Describe != nil {
		n = s.opts.Node.Describe()
	}
	n.Roles = orEmpty(n.Roles)
	n.Offchain = s.opts.Chain == nil
	if c := s.opts.Chain; c != nil {
		n.ChainID = c.Settings.ChainID()
		n.Account, n.Orchestrator = orNull(c.Actor.Account()), orNull(c.orchestrator())
	}
	return n
}

func conditionsV1(s *Server, _ *http.Request) (any, error) {
	return adminapi.Conditions{Conditions: s.conditionList()}, nil
}

func (s *Server) conditionList() []adminapi.Condition {
	out := []adminapi.Condition{}
	if s.opts.Node.Conditions == nil {
		return out
	}
	for _, c := range s.opts.Node.Conditions() {
		row, _ := fault.Lookup(c.Code)
		out = append(out, adminapi.Condition{Code: string(c.Code), About: c.About, Detail: c.Detail,
			Since: c.Since.UTC(), Cause: row.Cause, Remedy: row.Remedy, HiddenBy: string(c.HiddenBy)})
	}
	return out
}

// chainEndpoints describe the chain and all accounts on it.
func chainEndpoints() []endpoint {
	earnings := get(adminapi.PathEarnings, "What counted for an orchestrator in a round", adminapi.Earnings{})
	earnings.Query = []adminapi.QueryParameter{
		{Name: adminapi.QueryRound, About: "the round; the present one where absent"}}
	return []endpoint{
		{Route: get(adminapi.PathChain, "What the node knows of the chain", adminapi.Chain{}), chain: true, serve: chainV1},
		{Route: get(adminapi.PathParameters, "What governance set", adminapi.Parameters{}), chain: true,
			serve: func(s *Server, r *http.Request) (any, error) {
				p, err := s.opts.Chain.Settings.Parameters(r.Context())
				return adminapi.Parameters(p), err
			}},
		{Route: get(adminapi.PathOrchestrators, "The pool, highest stake first", adminapi.Orchestrators{}), chain: true,
			serve: poolV1},
		{Route: earnings, chain: true, serve: earningsV1},
	}
}

func chainV1(s *Server, _ *http.Request) (any, error) { return s.chainOf(), nil }

func (s *Server) chainOf() adminapi.Chain {
	c := s.opts.Chain
	v := c.Views.View()
	out := adminapi.Chain{
		Known: v.Known, Stale: v.Stale, PoolSize: v.PoolSize, Endpoints: []adminapi.Endpoint{},
		Contracts: orEmptyMap(c.Settings.Contracts()),
		Head: adminapi.Head{Number: v.Head.Number, Hash: v.Head.Hash, L1: v.Head.L1, Time: v.Head.Time.UTC(),
			BaseFee: v.Head.BaseFee},
		Round: adminapi.Round{Number: v.Round.Number, Initialized: v.Round.Initialized, Locked: v.Round.Locked,
			Start:  v.Round.Start,
			Length: v.Round.Length, LockLength: v.Round.LockLength, LastInitialized: v.Round.LastInitialized,
			End: v.Round.End(), LocksAt: v.Round.LocksAt()},
	}
	if c.Endpoints != nil {
		out.Endpoints = orEmpty(c.Endpoints())
	}
	return out
}

func (s *Server) priceText(address core.Address) string {
	if p := s.priceOf(address); p != nil {
		return p.RatString()
	}
	return ""
}

func poolV1(s *Server, r *http.Request) (any, error) {
	pool, err := s.opts.Chain.Stakes.Pool(r.Context())
	out := adminapi.Orchestrators{Orchestrators: []adminapi.Orchestrator{}}
	for _, o := range pool {
		out.Orchestrators = append(out.Orchestrators, orchestratorOf(o, s.priceText(o.Address)))
	}
	return out, err
}

func earningsV1(s *Server, r *http.Request) (any, error) {
	c := s.opts.Chain
	address, err := core.ParseAddress(r.PathValue("address"))
	if err != nil {
		return nil, badParam("the path's address: %v", err)
	}
	round, err := s.roundParameter(r)
	if err != nil {
		return nil, err
	}
	p, err := c.Stakes.EarningsPool(r.Context(), address, round)
	return adminapi.Earnings{Address: address, Round: round, TotalStake: p.TotalStake, RewardCut: p.RewardCut,
		FeeShare:     p.FeeShare,
		RewardFactor: orZero(p.RewardFactor).String(), FeeFactor: orZero(p.FeeFactor).String()}, err
}

// roundParameter returns the round of the query, or the present one.
func (s *Server) roundParameter(r *http.Request) (protocol.Round, error) {
	if text := r.URL.Query().Get(adminapi.QueryRound); text != "" {
		return parseNumber[protocol.Round](text)
	}
	round, err := s.opts.Chain.Rounds.Round(r.Context())
	return round.Number, err
}
