package action

import (
	"context"
	"fmt"
	"net/url"

	"github.com/tuttinode/tutti/cmd/tutti_cli/amount"
	"github.com/tuttinode/tutti/cmd/tutti_cli/console"
	"github.com/tuttinode/tutti/cmd/tutti_cli/node"
	"github.com/tuttinode/tutti/cmd/tutti_cli/verb"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// Planned is what came of several steps.
type Planned struct {
	Verb   string `json:"verb"`
	DryRun bool   `json:"dryRun"`
	// Plan is as it stands now, Executed what was done on the way, Local what was
	// changed without a transaction.
	Plan     adminapi.Plan       `json:"plan"`
	Executed []adminapi.Executed `json:"executed"`
	Local    []string            `json:"local"`
	// Rank is the place in the pool, ActiveFrom the first round in which the
	// orchestrator takes part, ActiveInMinutes about how long it takes until then:
	// once the plan is done, and null where the stake does not suffice.
	Rank            *int            `json:"rank"`
	ActiveFrom      *protocol.Round `json:"activeFrom"`
	ActiveInMinutes *int            `json:"activeInMinutes"`
}

// planned keeps a nil pointer from becoming a result.
func planned(p *Planned, err error) (verb.Result, error) {
	if p == nil {
		return nil, err
	}
	return p, err
}

// steps is a walk along a plan.
type steps struct {
	c      *verb.Call
	path   string
	body   any
	result *Planned
}

// runPlan asks for a plan, shows it and goes along it step by step.
func runPlan(ctx context.Context, c *verb.Call, path string, body any) (*Planned, error) {
	s := &steps{c: c, path: path, body: body, result: &Planned{Verb: c.Verb.Name, DryRun: c.Set.DryRun, Executed: []adminapi.Executed{}, Local: []string{}}}
	answer, err := s.post(ctx, url.Values{adminapi.QueryDryRun: {"true"}})
	if err != nil {
		return nil, err
	}
	s.result.Plan = answer.Plan
	if c.Set.DryRun {
		return s.result, s.foretell(ctx)
	}
	if !c.Set.JSON {
		PrintPlan(c.TellPage(), answer.Plan)
	}
	if err := s.blocked(ctx); err != nil {
		return nil, err
	}
	if err := s.walk(ctx); err != nil {
		return nil, err
	}
	return s.result, s.foretell(ctx)
}

func (s *steps) post(ctx context.Context, query url.Values) (adminapi.PlanResult, error) {
	bounded, cancel := context.WithTimeout(ctx, s.c.Set.Timeout)
	defer cancel()
	var answer adminapi.PlanResult
	err := s.c.Node.Post(bounded, s.path, query, s.body, &answer)
	if err == nil {
		err = node.FromAPI(answer.Error)
	}
	return answer, err
}

// blocked is why the next step cannot be taken, with when it can be.
func (s *steps) blocked(ctx context.Context) error {
	for _, step := range s.result.Plan.Steps {
		if step.Done || step.Error == nil {
			continue
		}
		e := *step.Error
		if chain, err := readChain(ctx, s.c); err == nil && e.Code == string(fault.RoundLocked) {
			e.Message = opening(chain)
		}
		return node.FromAPI(&e)
	}
	return nil
}

// open counts the steps that are left.
func (s *steps) open() (n int, next adminapi.Step) {
	for _, step := range s.result.Plan.Steps {
		if step.Done {
			continue
		}
		if n == 0 {
			next = step
		}
		n++
	}
	return n, next
}

// spareSteps is by how many steps a plan may grow on the way, because the chain
// changed meanwhile.
const spareSteps = 5

// walk takes the open steps one by one. Where there are none, what is local is
// still to be changed.
func (s *steps) walk(ctx context.Context) error {
	total, _ := s.open()
	if total == 0 {
		if err := s.c.Agree(ctx, "No transaction is needed. Apply the rest?"); err != nil {
			return err
		}
		_, err := s.next(ctx)
		return err
	}
	if err := s.c.Agree(ctx, fmt.Sprintf("Begin? %d steps cost about %s in all", total, amount.ShortFee(s.result.Plan.TotalFee))); err != nil {
		return err
	}
	for k := 1; ; k++ {
		left, step := s.open()
		if left == 0 {
			return nil
		}
		if err := s.take(ctx, k, total, step); err != nil {
			return broke(err, k, max(total, k), step)
		}
		if k > total+spareSteps {
			return fault.New(fault.NodeAnswerUnreadable, "take a step", "the node takes steps and the plan does not get shorter")
		}
	}
}

func (s *steps) take(ctx context.Context, k, total int, step adminapi.Step) error {
	s.c.Tell("Step %d of %d: %s.", k, total, step.About)
	if e := step.Estimate; e != nil {
		s.c.Tell("Gas %d at %s: fee %s.", e.Gas, amount.GasPrice(e.Price), amount.Fee(e.Fee))
	}
	if err := s.c.Agree(ctx, "Send this step?"); err != nil {
		return err
	}
	var answer adminapi.PlanResult
	f, err := s.c.Send(ctx, step.Name, func(ctx context.Context) (err error) {
		answer, err = s.next(ctx)
		return err
	})
	if err != nil {
		return err
	}
	answered := answer.Executed
	if answered == nil && !f.Found() {
		return nil
	}
	done := adminapi.Executed{Step: step.Name, About: step.About}
	if answered != nil {
		done = *answered
		f.Saw(answered.Transaction)
	}
	t, err := f.Follow(ctx)
	done.Transaction = *t
	s.result.Executed = append(s.result.Executed, done)
	if err != nil {
		return err
	}
	s.c.Tell("%s", s.c.TellStyle.Good(fmt.Sprintf("Step %d of %d is %s.", k, total, t.State)))
	if answered == nil {
		return s.replan(ctx)
	}
	return nil
}

// replan reads how the plan stands after a step whose answer did not come.
func (s *steps) replan(ctx context.Context) error {
	answer, err := s.post(ctx, url.Values{adminapi.QueryDryRun: {"true"}})
	if err == nil {
		s.result.Plan = answer.Plan
	}
	return err
}

func (s *steps) next(ctx context.Context) (adminapi.PlanResult, error) {
	answer, err := s.post(ctx, url.Values{adminapi.QueryStep: {adminapi.StepNext}})
	if err == nil {
		s.result.Plan = answer.Plan
		s.result.Local = answer.Local
		if s.result.Local == nil {
			s.result.Local = []string{}
		}
	}
	return answer, err
}

// broke says at which step it ended and how to go on. Code and remedy stay those
// of the cause.
func broke(err error, k, total int, step adminapi.Step) error {
	if verb.Interrupted(err) {
		return err
	}
	p := node.Explain(err)
	switch p.Code {
	case string(fault.OutcomeUnknown):
		return fault.New(fault.OutcomeUnknown, "take the steps", fmt.Sprintf("step %d of %d (%s) may have been sent; tutti_cli transactions shows whether it was", k, total, step.About))
	case string(fault.WaitTimedOut):
		return node.FromAPI(&adminapi.Error{Code: p.Code, Message: fmt.Sprintf("step %d of %d (%s): %s", k, total, step.About, p.Message),
			Remedy: "`tutti_cli transactions` shows how far it came. Once it is mined, run the same again: that goes on with the next step."})
	}
	text := fmt.Sprintf("step %d of %d (%s) was not done: %s. The steps before it are done and stay done; run the same again to go on from here", k, total, step.About, p.Message)
	if fault.CodeOf(err) == fault.Unexpected {
		return node.FromAPI(&adminapi.Error{Code: p.Code, Message: text, Remedy: p.Remedy})
	}
	return &fault.Fault{Code: fault.CodeOf(err), Op: "take the steps", Detail: text, Err: err}
}

// foretell works out what comes of it: as the plan says, or where the stake is no
// part of the plan, as the chain says.
func (s *steps) foretell(ctx context.Context) error {
	if s.path != adminapi.PathActivate {
		return nil
	}
	s.result.Rank, s.result.ActiveFrom = s.result.Plan.Rank, s.result.Plan.ActiveFrom
	if s.result.Rank == nil {
		if err := s.place(ctx); err != nil {
			return err
		}
	}
	if s.result.ActiveFrom == nil {
		return nil
	}
	chain, err := readChain(ctx, s.c)
	if err != nil {
		return err
	}
	n, from := 0, *s.result.ActiveFrom
	if from > chain.Round.Number {
		n = minutes(until(chain.Head.L1, chain.Round.End) + protocol.L1Block(from-chain.Round.Number-1)*chain.Round.Length)
	}
	s.result.ActiveInMinutes = &n
	return nil
}

// place finds the orchestrator in the pool.
func (s *steps) place(ctx context.Context) error {
	var own adminapi.Orchestrator
	var pool adminapi.Orchestrators
	if err := s.c.Node.Get(ctx, adminapi.PathOrchestrator, &own); err != nil {
		return err
	}
	if err := s.c.Node.Get(ctx, adminapi.PathOrchestrators, &pool); err != nil {
		return err
	}
	for i, o := range pool.Orchestrators {
		if o.Address == own.Address && own.ActivationRound != nil {
			rank := i + 1
			s.result.Rank, s.result.ActiveFrom = &rank, own.ActivationRound
		}
	}
	return nil
}

// PrintPlan writes the steps with their costs.
func PrintPlan(p *console.Page, plan adminapi.Plan) {
	if len(plan.Steps) == 0 {
		return
	}
	defer p.Flush()
	p.Title("PLAN")
	var rows [][]string
	for i, step := range plan.Steps {
		state, fee := "open", "-"
		switch {
		case step.Done:
			state = p.Style.Good("done")
		case step.Error != nil:
			state = p.Style.Bad("blocked: " + step.Error.Code)
		}
		if step.Estimate != nil && !step.Done {
			fee = amount.ShortFee(step.Estimate.Fee)
			if step.Typical {
				fee = "about " + fee
			}
		}
		rows = append(rows, []string{fmt.Sprint(i + 1), step.About, state, fee})
	}
	p.Table([]string{"STEP", "WHAT", "STATE", "FEE"}, rows)
	p.Row("Fees in all", amount.Fee(plan.TotalFee))
	p.Row("Stake to bond", amount.Stake(plan.Token))
	p.Flush()
	for _, w := range plan.Warnings {
		p.Line("%s", p.Style.Warn("Note: "+w))
	}
}

// localNames are what is changed without a transaction.
var localNames = map[string]string{"set-price": "Price"}

// Print writes what was done and what comes of it.
func (s *Planned) Print(p *console.Page) {
	defer p.Flush()
	if s.DryRun {
		PrintPlan(p, s.Plan)
		p.Row("Sent", "nothing (dry run)")
	} else {
		p.Title("DONE")
		for _, e := range s.Executed {
			p.Row(e.About, e.Transaction.Hash)
		}
		for _, l := range s.Local {
			p.Row(localNames[l], "changed")
		}
		if len(s.Executed)+len(s.Local) == 0 {
			p.Line("Nothing had to be changed.")
		}
	}
	if s.Verb != "orchestrator activate" {
		return
	}
	if s.Rank == nil || s.ActiveFrom == nil || s.ActiveInMinutes == nil {
		p.Row("Active", p.Style.Warn("no: the stake is not among the highest of the pool; tutti_cli orchestrators shows what it takes"))
		return
	}
	p.Row("Rank in the pool", *s.Rank)
	when := fmt.Sprintf("from round %d on, in about %d minutes", *s.ActiveFrom, *s.ActiveInMinutes)
	if *s.ActiveInMinutes == 0 {
		when = fmt.Sprintf("since round %d", *s.ActiveFrom)
	}
	p.Row("Active", when)
}
