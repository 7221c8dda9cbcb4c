package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// Result is the result of one check.
type Result struct {
	Name   string `json:"name"`
	Group  Group  `json:"group"`
	Title  string `json:"title"`
	Status Status `json:"status"`
	// Code is the worst condition, with its Cause and Remedy; empty without one.
	Code   fault.Code `json:"code"`
	Cause  string     `json:"cause"`
	Remedy string     `json:"remedy"`
	// Evidence is what was seen, or why there was nothing to check.
	Evidence []string `json:"evidence"`
	// Ignored: the operator waived it, and it does not count.
	Ignored bool `json:"ignored"`
	// Repair is the available repair, Repaired the one that was made.
	Repair   string `json:"repair"`
	Repaired string `json:"repaired"`
	// Millis is how long it took.
	Millis int64 `json:"ms"`
}

// Options say how a run goes.
type Options struct {
	// Limit is the time limit of a whole run.
	Limit time.Duration
	// Fix makes the available repairs.
	Fix bool
	// Ignored reports whether a check's result does not count.
	Ignored func(*Check) bool
}

// grace is how long a check may take to notice the end of its context before Run goes on
// without it.
const grace = 500 * time.Millisecond

// Run runs the checks concurrently and returns their results in their order.
func Run(ctx context.Context, w *World, checks []Check, o Options) []Result {
	ctx, cancel := context.WithTimeout(ctx, o.Limit)
	defer cancel()
	running := make(chan []Finding, 1)
	go func() { running <- conditions(ctx, w) }()
	results := make([]Result, len(checks))
	seen := make([]Observation, len(checks))
	took := make([]time.Duration, len(checks))
	var wg sync.WaitGroup
	for i := range checks {
		wg.Go(func() {
			began := w.Now()
			seen[i] = runBounded(ctx, &checks[i], w)
			took[i] = w.Now().Sub(began)
		})
	}
	wg.Wait()
	nodeFindings := <-running
	for i := range checks {
		c := &checks[i]
		results[i] = c.result(seen[i], nodeFindings)
		if o.Fix && seen[i].Repair != nil && results[i].Status != Skip {
			results[i].repair(ctx, seen[i].Repair)
		}
		results[i].Millis = took[i].Milliseconds()
		results[i].Ignored = o.Ignored != nil && o.Ignored(c)
	}
	return results
}

// conditions returns those of the running node; none if no node answers in time.
func conditions(ctx context.Context, w *World) []Finding {
	r, err := w.Running.Get(ctx)
	if err != nil {
		return nil
	}
	return r.Conditions
}

// runBounded runs a check and returns without it if it does not end in time: a system call
// on a dead disk cannot be canceled.
func runBounded(ctx context.Context, c *Check, w *World) Observation {
	done := make(chan Observation, 1)
	go func() { done <- c.run(ctx, w) }()
	select {
	case s := <-done:
		return s
	case <-ctx.Done():
	}
	late := time.NewTimer(grace)
	defer late.Stop()
	select {
	case s := <-done:
		return s
	case <-late.C:
		return finding(fault.CheckUnfinished, "no answer in time")
	}
}

// result combines an observation with the conditions of a running node.
func (c *Check) result(s Observation, nodeFindings []Finding) Result {
	r := Result{Name: c.Name, Group: c.Group, Title: c.Title, Evidence: []string{}}
	all := s.Findings
	for _, f := range nodeFindings {
		if !c.catchAll && c.statusOf(f.Code) != Pass && !hasFinding(all, f.Code) {
			f.Detail = strings.TrimSpace("the running node reports: " + f.Detail)
			all = append(all, f)
		}
	}
	var worst Finding
	for _, f := range all {
		status := c.statusOf(f.Code)
		if f.Code == fault.CheckUnfinished {
			status = Warn
		}
		if status == Pass {
			continue
		}
		if status > r.Status {
			r.Status, worst = status, f
		}
		if !slices.Contains(r.Evidence, f.Detail) {
			r.Evidence = append(r.Evidence, f.Detail)
		}
	}
	switch {
	case r.Status > Skip:
		row, _ := fault.Lookup(worst.Code)
		r.Code, r.Cause, r.Remedy = worst.Code, row.Cause, row.Remedy
		if worst.Remedy != "" {
			r.Remedy = worst.Remedy
		}
		if s.Repair != nil {
			r.Repair = s.Repair.Do
		}
	case s.notRun:
		r.Status, r.Evidence = Skip, []string{"could not be checked: " + s.Findings[0].Detail}
	case s.Skipped != "":
		r.Status, r.Evidence = Skip, []string{s.Skipped}
	default:
		r.Evidence = []string{s.Evidence}
	}
	return r
}

// hasFinding reports whether the check found the condition itself.
func hasFinding(all []Finding, code fault.Code) bool {
	for _, f := range all {
		if f.Code == code {
			return true
		}
	}
	return false
}

// repair makes a check's repair; a repaired check passes.
func (r *Result) repair(ctx context.Context, repair *Repair) {
	if err := repair.Run(ctx); err != nil {
		r.Evidence = append(r.Evidence, fmt.Sprintf("could not %s: %s", repair.Do, firstLine(err.Error())))
		return
	}
	r.Repaired, r.Repair = repair.Do, ""
	r.Status, r.Code, r.Cause, r.Remedy = Pass, "", "", ""
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
