package doctor

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// A check warns beyond these: an endpoint's latency, the age of its newest block, the polling interval.
const (
	maxLatency      = time.Second
	maxBlockAge     = 30 * time.Second
	maxPollInterval = 15 * time.Second
)

func chainChecks() []Check {
	endpoints := func(name, title string, fails, warns []fault.Code, evidence func(*World, ChainState) string) Check {
		return Check{Name: name, Group: GroupChain, Title: title, Fails: fails, Warns: warns,
			run: onChain(func(w *World, c ChainState) Observation {
				return c.ifKnown(func() Observation { return pass(evidence(w, c)) })
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
		endpoints("chain.access", "providers accept the key and the request rate", codes(fault.RPCKeyRefused),
			codes(fault.RPCRateLimited, fault.RPCLogsRefused),
			func(*World, ChainState) string { return "no refusals" }),
		{
			Name: "chain.fresh", Group: GroupChain, Title: "endpoints are up to date",
			run:   onChain(checkFresh),
			Fails: codes(fault.ChainStale), Warns: codes(fault.RPCStale, fault.RPCBlockUnknown,
				fault.TicketParamsStale),
		},
		{
			Name: "chain.speed", Group: GroupChain, Title: "endpoints answer quickly", Warns: codes(fault.RPCSlow),
			run: onChain(checkSpeed),
		},
		{
			Name: "chain.polling", Group: GroupChain, Title: "the chain is polled often enough",
			Warns: codes(fault.PollingSlow),
			run: skipUnless(usesChain, noChain, func(_ context.Context, w *World) Observation {
				text := "every " + w.Setup.Polling.String()
				if w.Setup.Polling > maxPollInterval {
					return finding(fault.PollingSlow, text)
				}
				return pass(text)
			}),
		},
		{
			Name: "chain.spare", Group: GroupChain, Title: "there is a second endpoint", Warns: codes(fault.RPCSingle),
			run: skipUnless(usesChain, noChain, func(_ context.Context, w *World) Observation {
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

// usesChain selects the nodes that a check of the chain is for.
func usesChain(s *Setup) bool { return !s.OffChain }

func onChain(check func(*World, ChainState) Observation) func(context.Context, *World) Observation {
	return skipUnless(usesChain, noChain, probeCheck(func(w *World) Probe[ChainState] { return w.Chain }, check))
}

// ifKnown skips a check while no endpoint answers; the check chain.endpoints reports the reason.
func (c ChainState) ifKnown(check func() Observation) Observation {
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
	return c.ifKnown(func() Observation {
		age := w.Now().Sub(c.BlockTime).Round(time.Second)
		text := fmt.Sprintf("block %d is %s old", c.Block, max(0, age))
		if age > maxBlockAge {
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
		if e.Latency > maxLatency {
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
	return c.ifKnown(func() Observation {
		if !c.Initialized {
			return pass(fmt.Sprintf("round %d is not initialized yet", c.Round))
		}
		return pass(fmt.Sprintf("round %d", c.Round))
	})
}
