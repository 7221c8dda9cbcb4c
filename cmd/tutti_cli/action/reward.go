package action

import (
	"fmt"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti_cli/console"
	"github.com/tuttinode/tutti/cmd/tutti_cli/verb"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"

	"context"
)

// Reward is `reward status`.
type Reward struct{ adminapi.Reward }

func rewardCall() *verb.Verb {
	return &verb.Verb{Name: "reward call", Menu: `Invoke "reward"`, For: verb.Orchestrators, Chain: true, Changes: true,
		Short:  "Mint the round's tokens.",
		Long:   "The node does this by itself once per round, unless it runs with -reward=false.",
		Fields: []verb.Field{addressField("for", "an orchestrator that named this account its reward caller", "")},
		Result: &verb.Sent{}, Run: runReward}
}

func runReward(ctx context.Context, c *verb.Call) (verb.Result, error) {
	if target := verb.Ref[core.Address](c, "for"); target != nil {
		return sent(c.Act(ctx, adminapi.VerbRewardFor, adminapi.RewardOf{Orchestrator: *target}))
	}
	var r adminapi.Reward
	if err := c.Node.Get(ctx, adminapi.PathReward, &r); err != nil {
		return nil, err
	}
	if r.Round != 0 && r.LastRewardRound == r.Round {
		return nil, fault.New(fault.RewardNotDue, "call reward",
			fmt.Sprintf("reward was already called in round %d", r.Round))
	}
	return sent(c.Act(ctx, adminapi.VerbReward, adminapi.None{}))
}

func rewardStatus() *verb.Verb {
	return &verb.Verb{Name: "reward status", Chain: true,
		Short: "Whether reward is called in this round, and what came of the last ones.", Result: Reward{},
		Run: read(adminapi.PathReward, func(r adminapi.Reward) Reward { return Reward{r} })}
}

// Print writes the state and the history.
func (r Reward) Print(p *console.Page) {
	defer p.Flush()
	p.Title("REWARD")
	p.Row("Mode", r.Mode)
	state := r.State
	if r.State == "failed" {
		state = p.Style.Bad(state)
	}
	if r.Reason != "" {
		state += ": " + r.Reason
	}
	p.Row("State", state)
	p.Row("Round", r.Round)
	p.Row("Last reward round", r.LastRewardRound)
	if r.Code != "" {
		p.Row("Condition", r.Code)
		if row, ok := fault.Lookup(fault.Code(r.Code)); ok {
			p.Row("Remedy", console.Unmarked(row.Remedy))
		}
	}
	if r.NextTry != nil {
		p.Row("Next try", r.NextTry.Format(time.RFC3339))
	}
	if r.Tx != nil {
		p.Row("Transaction", *r.Tx)
	}
	if len(r.History) == 0 {
		return
	}
	var rows [][]string
	for _, h := range r.History {
		tx := "-"
		if h.Tx != nil {
			tx = h.Tx.String()
		}
		rows = append(rows, []string{fmt.Sprint(h.Round), verb.FormatStake(h.Amount), h.Outcome, h.Time.Format(time.RFC3339),
			tx})
	}
	p.Table([]string{"ROUND", "MINTED", "OUTCOME", "TIME", "TRANSACTION"}, rows)
}
