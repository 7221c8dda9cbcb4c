package action

import (
	"context"
	"fmt"

	"github.com/tuttinode/tutti/cmd/tutti_cli/console"
	"github.com/tuttinode/tutti/cmd/tutti_cli/verb"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// Stake is `stake status`.
type Stake struct{ adminapi.Delegator }

// Print writes the stake.
func (s Stake) Print(p *console.Page) {
	defer p.Flush()
	p.Title("STAKE")
	p.Row("Status", s.Status)
	if s.Delegate != nil {
		p.Row("Delegate", *s.Delegate)
	}
	p.Row("Stake", verb.FormatStake(s.PendingStake))
	p.Row("Fees", verb.FormatEther(s.PendingFees))
	p.Row("Last claim round", s.LastClaimRound)
}

// Locks is `stake locks`.
type Locks struct{ adminapi.UnbondingLocks }

func stakeVerbs() verb.Table {
	amountOf := stakeField("amount", "how much", "Amount in LPT (whole tokens)")
	required := amountOf
	required.Required = true
	to := orchestratorField("to", "the orchestrator", "Orchestrator (its ID in the list, or its address)")
	to.Required = true
	rebondTo := orchestratorField("to", "the orchestrator, for an account that has no other bond",
		"Orchestrator (its ID in the list, or its address)")
	return verb.Table{
		{Name: "stake bond", Menu: `Invoke "bond"`, Chain: true, Changes: true, Short: "Delegate stake to an orchestrator.",
			Fields: []verb.Field{to, required}, Result: &verb.Sent{}, Ask: askBond, Run: runBond},
		{Name: "stake unbond", Menu: `Invoke "unbond"`, Chain: true, Changes: true,
			Short:  "Take stake back, into a lock that opens after the unbonding period.",
			Fields: []verb.Field{{Name: "all", Switch: true, Help: "all of it", Question: "Unbond fully?"}, amountOf},
			Result: &verb.Sent{}, Ask: askUnbond, Run: runUnbond},
		{Name: "stake rebond", Menu: `Invoke "rebond"`, Chain: true, Changes: true, Short: "Undo an unbonding lock.",
			Fields: []verb.Field{lockField("Unbonding lock"), rebondTo}, Result: &verb.Sent{}, Ask: askRebond, Run: runRebond},
		{Name: "stake withdraw", Menu: `Invoke "withdraw stake" (LPT)`, Chain: true, Changes: true,
			Short:  "Pay out an unbonding lock whose time is over.",
			Fields: []verb.Field{lockField("Unbonding lock")}, Result: &verb.Sent{}, Ask: askWithdraw,
			Run: runLock(adminapi.VerbWithdrawStake)},
		{Name: "stake claim", Chain: true, Changes: true, Short: "Book rewards and fees up to the present round.",
			Result: &verb.Sent{},
			Run:    act(adminapi.VerbClaimEarnings, func(*verb.Call) any { return adminapi.None{} })},
		{Name: "stake status", Chain: true, Short: "The account's own stake and fees.", Result: Stake{},
			Run: read(adminapi.PathDelegator, func(a adminapi.Delegator) Stake { return Stake{a} })},
		{Name: "stake locks", Chain: true, Short: "The unbonding locks that still hold stake.", Result: Locks{},
			Run: read(adminapi.PathUnbondingLocks, func(a adminapi.UnbondingLocks) Locks { return Locks{a} })},
	}
}

// act returns a verb's work where it is one action on the chain.
func act(name string, body func(*verb.Call) any) func(context.Context, *verb.Call) (verb.Result, error) {
	return func(ctx context.Context, c *verb.Call) (verb.Result, error) { return sent(c.Act(ctx, name, body(c))) }
}

// sent keeps a nil pointer from becoming a result.
func sent(s *verb.Sent, err error) (verb.Result, error) {
	if s == nil {
		return nil, err
	}
	return s, err
}

func askBond(ctx context.Context, c *verb.Call) error {
	if err := showPool(ctx, c); err != nil {
		return err
	}
	if err := c.AskField(ctx, "to"); err != nil {
		return err
	}
	if err := showBalance(ctx, c); err != nil {
		return err
	}
	return c.AskField(ctx, "amount")
}

func runBond(ctx context.Context, c *verb.Call) (verb.Result, error) {
	return sent(c.Act(ctx, adminapi.VerbBond,
		adminapi.TokensTo{Amount: verb.Get[core.LPT](c, "amount"), To: verb.Get[core.Address](c, "to")}))
}

func delegator(ctx context.Context, c *verb.Call) (adminapi.Delegator, error) {
	var d adminapi.Delegator
	err := c.Node.Get(ctx, adminapi.PathDelegator, &d)
	return d, err
}

func askUnbond(ctx context.Context, c *verb.Call) error {
	d, err := delegator(ctx, c)
	if err != nil {
		return err
	}
	c.Report("Your stake is %s.", verb.FormatStake(d.PendingStake))
	c.Put(keyBalance, d.PendingStake)
	if err := c.AskField(ctx, "all"); err != nil || verb.Get[bool](c, "all") {
		return err
	}
	return c.AskNeeded(ctx, "amount")
}

func runUnbond(ctx context.Context, c *verb.Call) (verb.Result, error) {
	how, all := verb.Ref[core.LPT](c, "amount"), verb.Get[bool](c, "all")
	if (how == nil) != all {
		return nil, verb.Mistake("give either --amount or --all")
	}
	if all {
		d, err := delegator(ctx, c)
		if err != nil {
			return nil, err
		}
		how = &d.PendingStake
	}
	return sent(c.Act(ctx, adminapi.VerbUnbond, adminapi.Tokens{Amount: *how}))
}

// showLocks shows the locks that can be chosen; none is the end of the verb.
func showLocks(ctx context.Context, c *verb.Call, which func(adminapi.UnbondingLock) bool, none string) error {
	var all, some adminapi.UnbondingLocks
	if err := c.Node.Get(ctx, adminapi.PathUnbondingLocks, &all); err != nil {
		return err
	}
	for _, l := range all.Locks {
		if which(l) {
			some.Locks = append(some.Locks, l)
		}
	}
	if len(some.Locks) == 0 {
		return fault.New(fault.UnbondingLockUnknown, "list unbonding locks", none)
	}
	Locks{some}.Print(c.TellPage())
	return nil
}

func askRebond(ctx context.Context, c *verb.Call) error {
	if err := showLocks(ctx, c, func(adminapi.UnbondingLock) bool { return true },
		"the account has no unbonding locks"); err != nil {
		return err
	}
	if err := c.AskField(ctx, "lock"); err != nil {
		return err
	}
	d, err := delegator(ctx, c)
	if err != nil || d.Status != protocol.Unbonded.String() {
		return err
	}
	if err := showPool(ctx, c); err != nil {
		return err
	}
	return c.AskNeeded(ctx, "to")
}

func runRebond(ctx context.Context, c *verb.Call) (verb.Result, error) {
	lock := verb.Get[protocol.LockID](c, "lock")
	if to := verb.Ref[core.Address](c, "to"); to != nil {
		return sent(c.Act(ctx, adminapi.VerbRebondFromUnbonded, adminapi.LockTo{To: *to, Lock: lock}))
	}
	return sent(c.Act(ctx, adminapi.VerbRebond, adminapi.Lock{Lock: lock}))
}

func askWithdraw(ctx context.Context, c *verb.Call) error {
	if err := showLocks(ctx, c, func(l adminapi.UnbondingLock) bool { return l.Withdrawable },
		"no unbonding lock can be withdrawn in this round"); err != nil {
		return err
	}
	return c.AskField(ctx, "lock")
}

func runLock(name string) func(context.Context, *verb.Call) (verb.Result, error) {
	return act(name, func(c *verb.Call) any { return adminapi.Lock{Lock: verb.Get[protocol.LockID](c, "lock")} })
}

// Print writes the locks.
func (a Locks) Print(p *console.Page) {
	defer p.Flush()
	p.Title("UNBONDING LOCKS")
	if len(a.UnbondingLocks.Locks) == 0 {
		p.Line("There are none.")
		return
	}
	var rows [][]string
	for _, l := range a.UnbondingLocks.Locks {
		rows = append(rows, []string{fmt.Sprint(l.ID), verb.FormatStake(l.Amount), fmt.Sprint(l.WithdrawRound),
			yes(p, l.Withdrawable)})
	}
	p.Table([]string{"ID", "AMOUNT", "WITHDRAW ROUND", "WITHDRAWABLE"}, rows)
}
