package doctor

import (
	"context"
	"fmt"

	"github.com/tuttinode/tutti/core/fault"
)

func registrationChecks() []Check {
	works := func(judge func(*World, ChainState) Seen) func(context.Context, *World) Seen {
		look := onChain(judge)
		return func(ctx context.Context, w *World) Seen {
			if !w.Setup.Roles.Orchestrator {
				return skip("this process is no orchestrator")
			}
			return look(ctx, w)
		}
	}
	return []Check{
		{
			Name: "registration.orchestrator", Group: GroupRegistration, Title: "the orchestrator is registered", look: works(judgeRegistered),
			Fails: codes(fault.AccountNotOrchestrator), Warns: codes(fault.NotRegistered),
		},
		{
			Name: "registration.active", Group: GroupRegistration, Title: "the orchestrator is in the active set", look: works(judgeActive),
			Fails: codes(fault.InactiveOrchestrator, fault.RecipientInactive), Warns: codes(fault.LeavingActiveSet),
		},
		{
			Name: "registration.uri", Group: GroupRegistration, Title: "the registry has a service address", look: works(judgeURI),
			Fails: codes(fault.ServiceURIUnset),
		},
		{
			Name: "registration.reward", Group: GroupRegistration, Title: "one process calls reward, and may",
			Fails: codes(fault.RewardNotAllowed, fault.RewardFailing, fault.RewardCallerRefused),
			Warns: codes(fault.RewardMissed), look: lookReward,
		},
		{
			Name: "registration.worker", Group: GroupRegistration, Title: "workers have no wallet",
			Fails: codes(fault.WalletOnWorker), look: func(_ context.Context, w *World) Seen {
				s := &w.Setup
				switch {
				case !s.Roles.Worker():
					return skip("this process is no worker of another one")
				case !s.OffChain || s.Reward == "on":
					return found(fault.WalletOnWorker, fmt.Sprintf("network %s, %s, reward %s", s.Network, plural(s.Endpoints, "endpoint"), s.Reward))
				}
				return fine("no endpoint and no reward calls")
			},
		},
	}
}

func judgeRegistered(_ *World, c ChainState) Seen {
	return c.seen(func() Seen {
		switch {
		case c.Orchestrator == "":
			return skip("no account is known yet")
		case !c.Registered:
			return found(fault.NotRegistered, c.Orchestrator+" is bonded to no orchestrator or to another")
		}
		return fine(fmt.Sprintf("%s with %s LPT", c.Orchestrator, c.Stake))
	})
}

func judgeActive(_ *World, c ChainState) Seen {
	return c.seen(func() Seen {
		switch {
		case !c.Registered:
			return skip("not registered")
		case !c.Active:
			return found(fault.InactiveOrchestrator, fmt.Sprintf("round %d, stake %s LPT", c.Round, c.Stake))
		}
		return fine(fmt.Sprintf("active in round %d", c.Round))
	})
}

func judgeURI(_ *World, c ChainState) Seen {
	return c.seen(func() Seen {
		switch {
		case !c.Registered:
			return skip("not registered")
		case c.URI == "":
			return found(fault.ServiceURIUnset, c.Orchestrator)
		}
		return fine(c.URI)
	})
}

func lookReward(ctx context.Context, w *World) Seen {
	s := &w.Setup
	switch {
	case s.OffChain:
		return skip(noChain)
	case s.Reward == "off":
		return fine("-reward=false: another process has to call it")
	}
	c, err := w.Chain.Get(ctx)
	if err != nil {
		return broken(err)
	}
	return c.seen(func() Seen {
		switch {
		case !c.Registered:
			return skip("not registered")
		case !c.MayReward && s.Reward == "on":
			return found(fault.RewardNotAllowed, c.Account+" is neither "+c.Orchestrator+" nor its reward caller")
		case !c.MayReward:
			return fine("this account may not call it, so another process has to")
		}
		r, err := w.Running.Get(ctx)
		if err == nil && r.Reward != "" {
			return fine(r.Reward)
		}
		return fine("this node calls it")
	})
}
