package doctor

import (
	"context"
	"fmt"

	"github.com/tuttinode/tutti/core/fault"
)

func registrationChecks() []Check {
	ofOrchestrator := func(check func(*World, ChainState) Observation) func(context.Context, *World) Observation {
		run := onChain(check)
		return func(ctx context.Context, w *World) Observation {
			if !w.Setup.Roles.Orchestrator {
				return skip("this process is no orchestrator")
			}
			return run(ctx, w)
		}
	}
	return []Check{
		{
			Name: "registration.orchestrator", Group: GroupRegistration, Title: "the orchestrator is registered",
			run:   ofOrchestrator(checkRegistered),
			Fails: codes(fault.AccountNotOrchestrator), Warns: codes(fault.NotRegistered),
		},
		{
			Name: "registration.active", Group: GroupRegistration, Title: "the orchestrator is in the active set",
			run:   ofOrchestrator(checkActive),
			Fails: codes(fault.InactiveOrchestrator, fault.RecipientInactive), Warns: codes(fault.LeavingActiveSet),
		},
		{
			Name: "registration.uri", Group: GroupRegistration, Title: "the registry has a service address",
			run:   ofOrchestrator(checkURI),
			Fails: codes(fault.ServiceURIUnset),
		},
		{
			Name: "registration.reward", Group: GroupRegistration, Title: "one process calls reward, and may",
			Fails: codes(fault.RewardNotAllowed, fault.RewardFailing, fault.RewardCallerRefused),
			Warns: codes(fault.RewardMissed), run: checkReward,
		},
		{
			Name: "registration.worker", Group: GroupRegistration, Title: "workers have no wallet",
			Fails: codes(fault.WalletOnWorker), run: func(_ context.Context, w *World) Observation {
				s := &w.Setup
				switch {
				case !s.Roles.Worker():
					return skip("this process is no worker of another one")
				case !s.OffChain || s.Reward == "on":
					return finding(fault.WalletOnWorker,
						fmt.Sprintf("network %s, %s, reward %s", s.Network, plural(s.Endpoints, "endpoint"), s.Reward))
				}
				return pass("no endpoint and no reward calls")
			},
		},
	}
}

func checkRegistered(_ *World, c ChainState) Observation {
	return c.ifKnown(func() Observation {
		switch {
		case c.Orchestrator == "":
			return skip("no account is known yet")
		case !c.Registered:
			return finding(fault.NotRegistered, c.Orchestrator+" is bonded to no orchestrator or to another")
		}
		return pass(fmt.Sprintf("%s with %s LPT", c.Orchestrator, c.Stake))
	})
}

func checkActive(_ *World, c ChainState) Observation {
	return c.ifKnown(func() Observation {
		switch {
		case !c.Registered:
			return skip("not registered")
		case !c.Active:
			return finding(fault.InactiveOrchestrator, fmt.Sprintf("round %d, stake %s LPT", c.Round, c.Stake))
		}
		return pass(fmt.Sprintf("active in round %d", c.Round))
	})
}

func checkURI(_ *World, c ChainState) Observation {
	return c.ifKnown(func() Observation {
		switch {
		case !c.Registered:
			return skip("not registered")
		case c.URI == "":
			return finding(fault.ServiceURIUnset, c.Orchestrator)
		}
		return pass(c.URI)
	})
}

func checkReward(ctx context.Context, w *World) Observation {
	s := &w.Setup
	switch {
	case s.OffChain:
		return skip(noChain)
	case s.Reward == "off":
		return pass("-reward=false: another process has to call it")
	}
	c, err := w.Chain.Get(ctx)
	if err != nil {
		return couldNotRun(err)
	}
	return c.ifKnown(func() Observation {
		switch {
		case !c.Registered:
			return skip("not registered")
		case !c.MayReward && s.Reward == "on":
			return finding(fault.RewardNotAllowed, c.Account+" is neither "+c.Orchestrator+" nor its reward caller")
		case !c.MayReward:
			return pass("this account may not call it, so another process has to")
		}
		r, err := w.Running.Get(ctx)
		if err == nil && r.Reward != "" {
			return pass(r.Reward)
		}
		return pass("this node calls it")
	})
}
