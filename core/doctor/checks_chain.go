package doctor

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// What makes an endpoint slow, its newest block old, and asking seldom.
const (
	slowAnswer = time.Second
	oldBlock   = 30 * time.Second
	slowPolls  = 15 * time.Second
)

func chainChecks() []Check {
	endpoints := func(name, title string, fails, warns []fault.Code, evidence func(*World, ChainState) string) Check {
		return Check{Name: name, Group: GroupChain, Title: title, Fails: fails, Warns: warns,
			run: onChain(func(w *World, c ChainState) Observation {
				return c.seen(func() Observation { return pass(evidence(w, c)) })
			})}
	}
	return []Check{
		endpoints("chain.endpoints", "a layer-2 endpoint answers",
			codes(fault.ChainUnavailable, fault.RPCURLInvalid),
			codes(fault.RPCUnreachable, fault.RPCTimeout, fault.RPCGarbage, fault.RPCMethodMissing),
			func(_ *World, c ChainState) string { return endpointNames(c.Endpoints) }),
		endpoints("chain.id", "endpoints belong to the network's chain",
			codes(fault.RPCWrongChain, fault.ChainIDChanged), nil,
			func(w *World, c ChainState) string { return fmt.Sprintf("%s is chain %d", w.Setup.Network, c.ChainID) }),
		endpoints("chain.layer", "endpoints are of layer 2", codes(fault.RPCLayerOne), nil,
			func(_ *World, c ChainState) string { return fmt.Sprintf("block %d", c.Block) }),
		endpoints("chain.access", "providers accept the key and the pace", codes(fault.RPCKeyRefused),
			codes(fault.RPCRateLimited, fault.RPCLogsRefused),
			func(*World, ChainState) string { return "no refusals" }),
		{
			Name: "chain.fresh", Group: GroupChain, Title: "endpoints are in step with the chain",
			run:   onChain(checkFresh),
			Fails: codes(fault.ChainStale), Warns: codes(fault.RPCStale, fault.RPCBlockUnknown,
				fault.TicketParamsStale),
		},
		{
			Name: "chain.speed", Group: GroupChain, Title: "endpoints answer quickly", Warns: codes(fault.RPCSlow),
			run: onChain(checkSpeed),
		},
		{
			Name: "chain.polling", Group: GroupChain, Title: "the chain is asked often enough",
			Warns: codes(fault.PollingSlow),
			run: skipUnless(paid, noChain, func(_ context.Context, w *World) Observation {
				text := "every " + w.Setup.Polling.String()
				if w.Setup.Polling > slowPolls {
					return finding(fault.PollingSlow, text)
				}
				return pass(text)
			}),
		},
		{
			Name: "chain.spare", Group: GroupChain, Title: "there is a second endpoint", Warns: codes(fault.RPCSingle),
			run: skipUnless(paid, noChain, func(_ context.Context, w *World) Observation {
				if w.Setup.Endpoints == 1 {
					return finding(fault.RPCSingle, "one endpoint")
				}
				return pass(plural(w.Setup.Endpoints, "endpoint"))
			}),
		},
		endpoints("chain.contracts", "the protocol's contracts are there",
			codes(fault.ControllerInvalid, fault.ContractMissing, fault.ContractAnswerInvalid),
			codes(fault.ChainNotReady, fault.ChainCacheFailed),
			func(_ *World, c ChainState) string { return plural(c.Contracts, "contract") }),
		{
			Name: "chain.round", Group: GroupChain, Title: "the protocol runs and the round is open",
			run:   onChain(checkRound),
			Fails: codes(fault.ProtocolPaused), Warns: codes(fault.RoundNotInitialized, fault.RoundInitFailing),
		},
	}
}

const noChain = "off-chain"

func paid(s *Setup) bool { return !s.OffChain }

func onChain(check func(*World, ChainState) Observation) func(context.Context, *World) Observation {
	return skipUnless(paid, noChain, probeCheck(func(w *World) Probe[ChainState] { return w.Chain }, check))
}

// seen skips a check that is impossible while no endpoint answers; chain.endpoints says why.
func (c ChainState) seen(check func() Observation) Observation {
	if !c.Known {
		return Observation{Skipped: "no endpoint returned the state of the protocol", Findings: c.Findings}
	}
	s := check()
	s.Findings = append(s.Findings, c.Findings...)
	return s
}

func endpointNames(all []Endpoint) string {
	var out []string
	for _, e := range all {
		out = append(out, fmt.Sprintf("%s is %s", e.Name, e.State))
	}
	return strings.Join(out, ", ")
}

func checkFresh(w *World, c ChainState) Observation {
	return c.seen(func() Observation {
		age := w.Now().Sub(c.BlockTime).Round(time.Second)
		text := fmt.Sprintf("block %d is %s old", c.Block, max(0, age))
		if age > oldBlock {
			return finding(fault.RPCStale, text)
		}
		return pass(text)
	})
}

func checkSpeed(_ *World, c ChainState) Observation {
	var s Observation
	var seen []string
	for _, e := range c.Endpoints {
		if e.Latency == 0 {
			continue
		}
		text := fmt.Sprintf("%s %s", e.Name, e.Latency.Round(time.Millisecond))
		seen = append(seen, text)
		if e.Latency > slowAnswer {
			s.Findings = append(s.Findings, Finding{Code: fault.RPCSlow, Detail: text})
		}
	}
	if len(seen) == 0 {
		return skip("no endpoint answered")
	}
	s.Evidence = strings.Join(seen, ", ")
	return s
}

func checkRound(_ *World, c ChainState) Observation {
	return c.seen(func() Observation {
		if !c.Initialized {
			return pass(fmt.Sprintf("round %d has just begun", c.Round))
		}
		return pass(fmt.Sprintf("round %d", c.Round))
	})
}
