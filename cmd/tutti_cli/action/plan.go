package action

import (
	"context"
	"fmt"
	"net/url"
	"slices"

	"github.com/tuttinode/tutti/cmd/tutti_cli/node"
	"github.com/tuttinode/tutti/cmd/tutti_cli/verb"
	"github.com/tuttinode/tutti/core"
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
	// Blocked is why the next step cannot be taken now, in a dry run; null where it
	// can be.
	Blocked *node.Problem `json:"blocked"`
	// Rank is the place in the pool, ActiveFrom the first round in which the
	// orchestrator takes part, ActiveInBlocks how many blocks of layer 1 it takes
	// until then, ActiveInMinutes about how many minutes: once the plan is done, and
	// null where the stake does not suffice. A devnet has no minutes: its pace is
	// not known.
	Rank            *int              `json:"rank"`
	ActiveFrom      *protocol.Round   `json:"activeFrom"`
	ActiveInBlocks  *protocol.L1Block `json:"activeInBlocks"`
	ActiveInMinutes *int              `json:"activeInMinutes"`
}

// Failed: a dry run of steps that cannot be taken.
func (s *Planned) Failed() bool { return s.Blocked != nil }

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
	// stale: a step was done and its answer, the plan behind it, did not come.
	stale bool
}

// runPlan asks for a plan, shows it and goes along it step by step.
func runPlan(ctx context.Context, c *verb.Call, path string, body any) (*Planned, error) {
	s := &steps{c: c, path: path, body: body,
		result: &Planned{Verb: c.Verb.Name, DryRun: c.Set.DryRun, Executed: []adminapi.Executed{}, Local: []string{}}}
	answer, err := s.post(ctx, url.Values{adminapi.QueryDryRun: {"true"}})
	if err != nil {
		return nil, err
	}
	s.result.Plan = answer.Plan
	if c.Set.DryRun {
		if err := s.blocked(ctx); err != nil {
			p := node.Explain(err)
			s.result.Blocked = &p
		}
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
		about, err := s.c.About(ctx)
		if chain, failed := readChain(ctx, s.c); err == nil && failed == nil && e.Code == string(fault.RoundLocked) {
			e.Message = lockEnd(about, chain)
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
	if err := s.c.Agree(ctx, begin(total, s.result.Plan.TotalFee)); err != nil {
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
		if err := s.replan(ctx); err != nil {
			return err
		}
		if k > total+spareSteps {
			return fault.New(fault.NodeAnswerUnreadable, "take a step", "the node takes steps and the plan does not get shorter")
		}
	}
}

func begin(total int, fee core.Wei) string {
	if total == 1 {
		return "Begin? 1 step costs about " + verb.FormatEther(fee)
	}
	return fmt.Sprintf("Begin? %d steps cost about %s in all", total, verb.FormatEther(fee))
}

func (s *steps) take(ctx context.Context, k, total int, step adminapi.Step) error {
	s.c.Report("Step %d of %d: %s.", k, total, step.About)
	if e := step.Estimate; e != nil {
		s.c.Report("Gas %d at %s: fee %s.", e.Gas, verb.FormatGasPrice(e.Price), verb.FormatEther(e.Fee))
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
	s.c.Report("%s", s.c.ReportStyle.Good(fmt.Sprintf("Step %d of %d is %s.", k, total, t.State)))
	s.stale = answered == nil
	return nil
}

// replan reads how the plan stands after a step whose answer did not come.
func (s *steps) replan(ctx context.Context) error {
	if !s.stale {
		return nil
	}
	s.stale = false
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
		for _, l := range answer.Local {
			if !slices.Contains(s.result.Local, l) {
				s.result.Local = append(s.result.Local, l)
			}
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
		return fault.New(fault.OutcomeUnknown, "take the steps",
			fmt.Sprintf("step %d of %d (%s) may have been sent; tutti_cli transactions shows whether it was", k, total,
				step.About))
	case string(fault.WaitTimedOut):
		return node.FromAPI(&adminapi.Error{Code: p.Code,
			Message: fmt.Sprintf("step %d of %d (%s): %s", k, total, step.About, p.Message),
			Remedy: "`tutti_cli transactions` shows how far it came. Once it is mined, run the same again: that goes on with " +
				"the next step."})
	}
	text := fmt.Sprintf("step %d of %d (%s) was not done: %s. The steps before it are done and stay done; run the same "+
		"again to go on from here", k, total, step.About, p.Message)
	if fault.CodeOf(err) == fault.Unexpected {
		return node.FromAPI(&adminapi.Error{Code: p.Code, Message: text, Remedy: p.Remedy})
	}
	return &fault.Fault{Code: fault.CodeOf(err), Op: "take the steps", Detail: text, Err: err}
}
