package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/chain"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/core/reachability"
	"github.com/tuttinode/tutti/eth/contracts"
	"github.com/tuttinode/tutti/server/reachabilitycheck"
	"github.com/tuttinode/tutti/server/tlscert"
)

// firstServiceURI is what is advertised until more is known: what the operator
// chose, or loopback until the chain tells what is registered.
func (n *node) firstServiceURI() string {
	if s := n.cfg.Addresses.Service; !s.IsZero() {
		return s.String()
	}
	return "https://127.0.0.1:" + strconv.Itoa(n.cfg.Addresses.OrchestratorListen.Port)
}

// addAddress makes the check of the service address, and has the advertised one
// follow the registry where the operator chose none.
func (n *node) addAddress(rules *orchestrate.Orchestrator, cert *tlscert.Source) {
	chosen := ""
	if s := n.cfg.Addresses.Service; !s.IsZero() {
		chosen = s.String()
	}
	opt := reachabilitycheck.Options{
		Advertised: rules.ServiceURI, Chosen: chosen, Reach: n.cfg.Addresses.StartupCheck,
		Port: strconv.Itoa(n.cfg.Addresses.OrchestratorListen.Port), Now: time.Now, Board: n.board, Log: n.log,
	}
	if cert != nil {
		opt.Certificate = func() []byte { return cert.Certificate().Certificate[0] }
	}
	if n.chain != nil {
		opt.OnChain = func() (string, bool) { v := n.chain.View(); return v.Self.ServiceURI, v.Known }
		if lookup := n.cfg.Addresses.PublicIPLookup; chosen == "" && lookup != "none" {
			opt.Lookup = lookup
		}
		n.warnPrivate(chosen)
	}
	n.address = reachabilitycheck.New(opt)
	if n.chain != nil {
		n.add(&registered{chain: n.chain, rules: rules, follow: chosen == "", check: n.address, board: n.board})
	}
}

// warnPrivate says that nobody on the internet reaches the chosen address.
func (n *node) warnPrivate(chosen string) {
	if chosen != "" && !contracts.Private(n.chain.Network.Name) && reachability.Private(chosen) {
		n.board.Set(health.Key{Code: fault.ServiceAddrPrivate}, n.cfg.Addresses.Service.Host+" is a not a public address or hostname")
	}
}

// registered keeps the advertised address what the registry says.
type registered struct {
	chain  *chain.Part
	rules  *orchestrate.Orchestrator
	follow bool
	check  *reachabilitycheck.Checker
	board  *health.Board
}

// Name is the component's name.
func (*registered) Name() string { return "registered service address" }

// Run follows the chain until ctx ends.
func (r *registered) Run(ctx context.Context, ready func()) error {
	news := make(chan struct{}, 1)
	stop := r.chain.Chain.Subscribe(func(e protocol.Event) {
		switch e.(type) {
		case protocol.SelfSeen, protocol.ServiceURISeen:
			select {
			case news <- struct{}{}:
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
		case <-news:
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

// serviceAddress shows the admin API what is known.
type serviceAddress struct{ check *reachabilitycheck.Checker }

// ServiceAddress is what is known now.
func (s serviceAddress) ServiceAddress() adminapi.ServiceAddress {
	st := s.check.Status()
	out := adminapi.ServiceAddress{
		Advertised: st.Advertised, OnChain: st.OnChain, Discovered: st.Discovered, Mismatch: st.Mismatch,
		Reachable: adminapi.Reachability(st.Reach), Detail: st.Detail,
	}
	return out
}

// takesWork reports whether gateways may come: -serviceAddr none leaves only the
// duties on the chain.
func takesWork(cfg *config.Config) bool { return !cfg.Addresses.Service.None }
