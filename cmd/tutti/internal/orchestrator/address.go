package orchestrator

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/chain"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/doctor"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/contracts"
	"github.com/tuttinode/tutti/server/orchestrator"
	"github.com/tuttinode/tutti/server/tlscert"
)

// serviceURI returns what is advertised until more is known: what the operator
// chose, or loopback until the chain shows what is registered.
func (p *Part) serviceURI() string {
	if s := p.Config.Addresses.Service; !s.IsZero() {
		return s.String()
	}
	return "https://127.0.0.1:" + strconv.Itoa(p.Config.Addresses.OrchestratorListen.Port)
}

// addAddress makes the check of the service address, and has the advertised one
// follow the registry where the operator chose none.
func (p *Part) addAddress(cert *tlscert.Source) {
	chosen := ""
	if s := p.Config.Addresses.Service; !s.IsZero() {
		chosen = s.String()
	}
	opt := orchestrator.ReachabilityOptions{
		Advertised: p.Rules.ServiceURI, Chosen: chosen, Reach: p.Config.Addresses.StartupCheck,
		Port: strconv.Itoa(p.Config.Addresses.OrchestratorListen.Port), Now: time.Now, Board: p.Board, Log: p.Log,
	}
	if cert != nil {
		opt.Certificate = func() []byte { return cert.Certificate().Certificate[0] }
	}
	if p.chain != nil {
		opt.OnChain = func() (string, bool) { v := p.chain.View(); return v.Self.ServiceURI, v.Known }
		if lookup := p.Config.Addresses.PublicIPLookup; chosen == "" && lookup != "none" {
			opt.Lookup = lookup
		}
		p.warnPrivate(chosen)
	}
	p.Address = orchestrator.NewReachability(opt)
	if p.chain != nil {
		p.Add(&registered{chain: p.chain, rules: p.Rules, follow: chosen == "", check: p.Address, board: p.Board})
	}
}

// warnPrivate reports that the internet does not reach the chosen address.
func (p *Part) warnPrivate(chosen string) {
	if chosen != "" && !contracts.Private(p.chain.Network.Name) && doctor.PrivateURI(chosen) {
		p.Board.Set(health.Key{Code: fault.ServiceAddrPrivate},
			p.Config.Addresses.Service.Host+" is a not a public address or hostname")
	}
}

// registered keeps the advertised address what the registry says.
type registered struct {
	chain  *chain.Part
	rules  *orchestrate.Orchestrator
	follow bool
	check  *orchestrator.Reachability
	board  *health.Board
}

// Name returns the component's name.
func (*registered) Name() string { return "registered service address" }

// Run follows the chain until ctx ends.
func (r *registered) Run(ctx context.Context, ready func()) error {
	events := make(chan struct{}, 1)
	stop := r.chain.Chain.Subscribe(func(e protocol.Event) {
		switch e.(type) {
		case protocol.SelfSeen, protocol.ServiceURISeen:
			select {
			case events <- struct{}{}:
			default:
			}
		}
	})
	defer stop()
	ready()
	for last := ""; ; {
		if v := r.chain.View(); v.Known && v.Self.ServiceURI != last {
			last = v.Self.ServiceURI
			r.take(last)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-events:
		}
	}
}

func (r *registered) take(uri string) {
	var err error
	if r.follow && uri != "" {
		if e := r.rules.SetServiceURI(uri); e != nil {
			err = fault.New(fault.ServiceAddrInvalid, "take over the registered address", fmt.Sprintf("%q: %v", uri, e))
		}
	}
	r.board.Report(health.Key{Code: fault.ServiceAddrInvalid}, err)
	r.check.Recheck()
}

// TakesWork reports whether gateways may come: -serviceAddr none leaves only the
// duties on the chain.
func TakesWork(cfg *config.Config) bool { return !cfg.Addresses.Service.None }
