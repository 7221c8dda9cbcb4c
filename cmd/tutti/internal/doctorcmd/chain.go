package doctorcmd

import (
	"context"
	"math/big"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/doctor"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/lifecycle"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/chain"
	"github.com/tuttinode/tutti/eth/contracts"
	"github.com/tuttinode/tutti/eth/endpoint"
)

const (
	// askChain is how long the endpoints may take together, askFunds the questions
	// after.
	askChain, askFunds = 5 * time.Second, 2 * time.Second
	// poll is how often heads are asked for in that time.
	poll = time.Second
	// leastGasPrice is what a transaction is reckoned to cost at least, in wei.
	leastGasPrice = 10_000_000
)

// chain returns what the endpoints say, or the running node, which asks them anyway.
func (in *inspection) chain(ctx context.Context) (doctor.ChainState, error) {
	if in.up(ctx) {
		return in.askNodeOfChain(ctx), nil
	}
	ctx, cancel := context.WithTimeout(ctx, askChain+askFunds)
	defer cancel()
	board := health.New(in.log, in.Now, health.EndpointCauses())
	network, known := contracts.LookupNetwork(in.cfg.Chain.Network)
	if !known {
		network = contracts.Network{Name: in.cfg.Chain.Network, Controller: in.cfg.Chain.Controller,
			RedeemGas: contracts.UnknownRedeemGas}
	}
	account, orchestrator := in.addresses(ctx)
	opt := chain.NodeOptions{
		Network: network, Controller: in.cfg.Chain.Controller, AIRegistry: in.cfg.AI.ServiceRegistry, NoService: true,
		Orchestrator: orchestrator, PollInterval: poll, Board: board, Log: in.log, Now: in.Now,
	}
	for _, u := range in.cfg.Chain.Endpoints {
		opt.Endpoints = append(opt.Endpoints, core.NewSecret(u.Reveal()))
	}
	parts, err := chain.NewNode(ctx, opt)
	if err != nil {
		return doctor.ChainState{Findings: []doctor.Finding{{Code: fault.CodeOf(err), Detail: fault.ForOperator(err)}}}, nil
	}
	defer parts.Endpoints.Close()
	stop := run(ctx, parts.Components())
	defer stop()
	await(ctx, parts)
	out := read(parts)
	in.funds(ctx, parts, network, account, &out)
	in.feed(ctx, parts)
	out.Findings = append(out.Findings, problems(board, out.Endpoints)...)
	return out, nil
}

// run runs components until stop is called, and waits for them.
func run(ctx context.Context, parts []lifecycle.Component) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{}, len(parts))
	for _, c := range parts {
		go func() {
			_ = c.Run(ctx, func() {})
			done <- struct{}{}
		}()
	}
	return func() {
		cancel()
		for range parts {
			<-done
		}
	}
}

// await waits until the state is known and every endpoint was asked.
func await(ctx context.Context, parts *chain.Node) {
	ctx, cancel := context.WithTimeout(ctx, askChain)
	defer cancel()
	tick := time.NewTicker(between)
	defer tick.Stop()
	for {
		tried, serving := true, false
		for _, e := range parts.Endpoints.Status().Endpoints {
			tried = tried && e.State != endpoint.Untried
			serving = serving || e.State == endpoint.Serving || e.State == endpoint.Lagging
		}
		if tried && (!serving || parts.Chain.View().Known) {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// read returns the view in the doctor's words.
func read(parts *chain.Node) doctor.ChainState {
	v, status := parts.Chain.View(), parts.Endpoints.Status()
	out := doctor.ChainState{Known: v.Known, ChainID: status.ChainID}
	for _, e := range status.Endpoints {
		out.Endpoints = append(out.Endpoints, doctor.Endpoint{Name: e.Name, State: string(e.State), Latency: e.Latency,
			Lag: e.Lag})
	}
	if !v.Known {
		return out
	}
	out.Block, out.BlockTime = uint64(v.Head.Number), v.Head.Time
	out.Round, out.Initialized = uint64(v.Round.Number), v.Round.Initialized
	out.Contracts = len(parts.Chain.Contracts())
	if o := v.Self; !o.Address.IsZero() {
		out.Orchestrator, out.Registered, out.Active = o.Address.String(), o.Registered, o.Active
		out.URI, out.Stake = o.ServiceURI, o.DelegatedStake.Tokens()
	}
	return out
}

// addresses returns the node's account and the orchestrator that it works for; zero where there is no key yet.
func (in *inspection) addresses(ctx context.Context) (account, orchestrator core.Address) {
	if k, err := in.keys.Get(ctx); err == nil {
		account = k.entry.Address
	}
	if account.IsZero() {
		account = in.cfg.Chain.Account
	}
	if orchestrator = in.cfg.Chain.Recipient; orchestrator.IsZero() {
		orchestrator = account
	}
	return account, orchestrator
}

// funds reads the account's ETH and says how many transactions it pays.
func (in *inspection) funds(ctx context.Context, parts *chain.Node, network contracts.Network, account core.Address,
	out *doctor.ChainState) {
	if account.IsZero() || !out.Known {
		return
	}
	b, err := parts.Chain.Balances(ctx, account)
	if err != nil {
		out.Findings = append(out.Findings, doctor.Finding{Code: fault.CodeOf(err), Detail: fault.ForOperator(err)})
		return
	}
	v := parts.Chain.View()
	out.Account, out.Ether = account.String(), b.Ether.Ether()
	out.GasLeft = paysFor(b.Ether, v.Head.BaseFee, network.RedeemGas)
	out.MayReward = account == v.Self.Address || account == v.Self.RewardCaller
}

// paysFor returns how many transactions an amount pays at twice the present price.
func paysFor(ether, baseFee core.Wei, gas protocol.Gas) uint64 {
	price := new(big.Int).Mul(baseFee.Big(), big.NewInt(2))
	if least := big.NewInt(leastGasPrice); price.Cmp(least) < 0 {
		price = least
	}
	each := price.Mul(price, new(big.Int).SetUint64(uint64(max(gas, 1))))
	n := each.Quo(ether.Big(), each)
	if !n.IsUint64() {
		return 1 << 32
	}
	return min(n.Uint64(), 1<<32)
}

// problems returns the board's conditions, and endpoints that did not even fail in time.
func problems(board *health.Board, all []doctor.Endpoint) (out []doctor.Finding) {
	for _, c := range board.Snapshot() {
		detail := c.Detail
		if c.About != "" {
			detail = c.About + ": " + detail
		}
		out = append(out, doctor.Finding{Code: c.Code, Detail: detail})
	}
	silent := 0
	for _, e := range all {
		if e.State == string(endpoint.Untried) {
			silent++
			out = append(out, doctor.Finding{Code: fault.RPCTimeout, Detail: e.Name + ": no answer within " + askChain.String()})
		}
	}
	if silent > 0 && silent == len(all) {
		out = append(out, doctor.Finding{Code: fault.ChainUnavailable, Detail: "no endpoint answered"})
	}
	return out
}

// askNodeOfChain returns the running node's view.
func (in *inspection) askNodeOfChain(ctx context.Context) doctor.ChainState {
	var out doctor.ChainState
	client, err := in.client()
	if err != nil {
		return out
	}
	var c adminapi.Chain
	if client.Get(ctx, adminapi.PathChain, &c) != nil {
		return out
	}
	out.Known = c.Known
	for _, e := range c.Endpoints {
		out.Endpoints = append(out.Endpoints, doctor.Endpoint{Name: e.Name, State: e.State, Lag: e.Lag,
			Latency: time.Duration(e.LatencyMs * float64(time.Millisecond))})
	}
	out.Block, out.BlockTime, out.Contracts = uint64(c.Head.Number), c.Head.Time, len(c.Contracts)
	out.Round, out.Initialized = uint64(c.Round.Number), c.Round.Initialized
	var n adminapi.Node
	if client.Get(ctx, adminapi.PathNode, &n) == nil && n.Account != nil {
		out.ChainID, out.Account = n.ChainID, n.Account.String()
		out.MayReward = n.Orchestrator == nil || *n.Orchestrator == *n.Account
	}
	var o adminapi.Orchestrator
	if client.Get(ctx, adminapi.PathOrchestrator, &o) == nil {
		out.Orchestrator, out.Registered, out.Active = o.Address.String(), o.Registered, o.Active
		out.URI, out.Stake = o.ServiceURI, o.DelegatedStake.Tokens()
		out.MayReward = out.MayReward || o.RewardCaller != nil && n.Account != nil && *o.RewardCaller == *n.Account
	}
	var b adminapi.Balances
	if client.Get(ctx, adminapi.PathBalances, &b) == nil {
		network, _ := contracts.LookupNetwork(in.cfg.Chain.Network)
		out.Ether, out.GasLeft = b.Ether.Ether(), paysFor(b.Ether, c.Head.BaseFee,
			max(network.RedeemGas, contracts.UnknownRedeemGas))
	}
	return out
}
