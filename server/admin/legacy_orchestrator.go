package admin

import (
	"context"
	"net/http"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// orchestratorRoutes make and change an orchestrator.
func orchestratorRoutes() []legacy {
	return []legacy{
		{path: "/reward", chain: true, changes: true, serve: actionHandler(func(c *Chain, _ form) (protocol.Action,
			error) {
			return c.rewardAction(), nil
		})},
		{path: "/activateOrchestrator", chain: true, changes: true, serve: (*Server).activateOrchestrator},
		{path: "/setOrchestratorConfig", chain: true, changes: true, serve: (*Server).setOrchestratorConfig},
		{path: "/setRewardCaller", chain: true, changes: true,
			serve: actionHandler(func(c *Chain, f form) (protocol.Action, error) {
				if err := c.mustOwn(); err != nil {
					return nil, err
				}
				address, err := value(f, "rewardCaller", core.ParseAddress)
				return protocol.SetRewardCaller{Caller: address}, err
			})},
	}
}

// mustOwn refuses where the account is not the orchestrator: it would register, or
// change, itself.
func (c *Chain) mustOwn() error {
	if c.own() {
		return nil
	}
	return fault.New(fault.AccountNotOrchestrator, "admin request",
		"the node's account is "+c.Actor.Account().String()+", the orchestrator "+c.orchestrator().String())
}

// settled is what a legacy form asks for: the settings, and a price that stays local.
type settled struct {
	wish  protocol.ActivationWish
	price core.UnitPrice
}

// cuts reads both cuts in percent.
func (f form) cuts(w *protocol.ActivationWish) error {
	rewardCut, err := value(f, "blockRewardCut", parsePercent)
	if err != nil {
		return err
	}
	feeShare, err := value(f, "feeShare", parsePercent)
	if err != nil {
		return err
	}
	w.RewardCut, w.FeeShare = &rewardCut, &feeShare
	return nil
}

func (f form) activation() (out settled, more core.LPT, err error) {
	if err = f.cuts(&out.wish); err != nil {
		return out, more, err
	}
	if out.price, err = f.price(); err != nil {
		return out, more, err
	}
	if out.wish.ServiceURI, err = value(f, "serviceURI", parseServiceURI); err != nil {
		return out, more, err
	}
	if out.wish.Lock, err = optional(f, "unbondingLockId", parseLock); err != nil {
		return out, more, err
	}
	amount, err := optional(f, "amount", core.ParseLPT)
	if amount != nil {
		more = *amount
	}
	return out, more, err
}

func (s *Server) activateOrchestrator(w http.ResponseWriter, r *http.Request) error {
	f, err := formOf(w, r)
	if err != nil {
		return err
	}
	asked, more, err := f.activation()
	if err != nil {
		return err
	}
	if err := s.checkActivation(r.Context()); err != nil {
		return err
	}
	if !more.IsZero() {
		if asked.wish.Stake, err = s.opts.Chain.stakeWith(r.Context(), more, asked.wish.Lock); err != nil {
			return err
		}
	}
	return s.settle(r.Context(), asked)
}

// checkActivation refuses in the existing node's words.
func (s *Server) checkActivation(ctx context.Context) error {
	c := s.opts.Chain
	if err := c.mustOwn(); err != nil {
		return err
	}
	o, err := c.Stakes.Orchestrator(ctx, c.Actor.Account())
	if err != nil {
		return err
	}
	if o.Registered {
		return fault.New(fault.OrchestratorRegistered, "activate", "orchestrator already registered")
	}
	round, err := c.Rounds.Round(ctx)
	if err != nil {
		return err
	}
	if round.Locked {
		return fault.New(fault.RoundLocked, "activate", roundLocked)
	}
	return nil
}

// stakeWith returns the orchestrator's own bond that more tokens lead to: what is bonded, or comes out
// of the lock, and more.
func (c *Chain) stakeWith(ctx context.Context, more core.LPT, id *protocol.LockID) (core.LPT, error) {
	account := c.Actor.Account()
	own, err := c.Stakes.Delegator(ctx, account)
	if err != nil {
		return core.LPT{}, err
	}
	if own.Delegate == account || own.Status == protocol.Unbonded {
		more = more.Add(own.PendingStake)
	}
	if id == nil {
		return more, nil
	}
	locks, err := c.Stakes.UnbondingLocks(ctx, account)
	for _, l := range locks {
		if l.ID == *id {
			more = more.Add(l.Amount)
		}
	}
	return more, err
}

func (s *Server) setOrchestratorConfig(w http.ResponseWriter, r *http.Request) error {
	f, err := formOf(w, r)
	if err != nil {
		return err
	}
	var asked settled
	if f.Get("pricePerUnit") != "" || f.Get("pixelsPerUnit") != "" {
		if asked.price, err = f.price(); err != nil {
			return err
		}
	}
	if f.Get("blockRewardCut") != "" || f.Get("feeShare") != "" {
		if err := f.cuts(&asked.wish); err != nil {
			return err
		}
	}
	if f.Get("serviceURI") != "" {
		if asked.wish.ServiceURI, err = value(f, "serviceURI", parseServiceURI); err != nil {
			return err
		}
	}
	if err := s.opts.Chain.mustOwn(); err != nil {
		return err
	}
	return s.settle(r.Context(), asked)
}

// settle sets the price and takes all steps. What is on the chain already costs
// nothing.
func (s *Server) settle(ctx context.Context, asked settled) error {
	if asked.price.IsSet() {
		if err := s.setPrice(ctx, core.Address{}, asked.price); err != nil {
			return badPrice("pricePerUnit", err)
		}
	}
	_, _, err := s.run(ctx, asked.wish)
	return err
}

// run takes all open steps of a wish, and says what was sent.
func (s *Server) run(ctx context.Context, wish protocol.ActivationWish) ([]protocol.ExecutedStep,
	protocol.ActivationPlan, error) {
	free, err := s.plan()
	if err != nil {
		return nil, protocol.ActivationPlan{}, err
	}
	defer free()
	done, plan, err := s.opts.Chain.planner().Run(ctx, wish)
	return done, plan, s.reportActivation(ctx, done, err)
}

// reportActivation remembers what was sent. Where the wait for the last of it ended, that is
// the error.
func (s *Server) reportActivation(ctx context.Context, done []protocol.ExecutedStep, err error) error {
	for _, d := range done {
		changeOf(ctx).sent(d.Transaction)
	}
	if n := len(done); err != nil && n > 0 {
		return waitOver(ctx, done[n-1].Transaction, err)
	}
	return err
}

// plan begins a plan; free ends it. If another plan is in progress the error is the fault
// StepInFlight.
func (s *Server) plan() (free func(), err error) {
	if !s.planning.TryLock() {
		return nil, fault.New(fault.StepInFlight, "follow a plan", "another request is at it")
	}
	return s.planning.Unlock, nil
}
