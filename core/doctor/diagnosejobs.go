package doctor

import (
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/requeststats"
)

// JobDiagnosis is the answer.
type JobDiagnosis struct {
	// Summary is one sentence.
	Summary  string
	Findings []JobFinding
}

// DiagnoseJobs evaluates a node's state.
func DiagnoseJobs(f *NodeState) JobDiagnosis {
	var l jobFindings
	if !f.Orchestrator {
		l.add(Blocker, "", "This node takes no jobs: it is no orchestrator, or -serviceAddr is none.",
			"Start it with -orchestrator and a -serviceAddr that gateways can reach.")
		return JobDiagnosis{Summary: "No jobs can come to this node.", Findings: l}
	}
	l.chain(f)
	l.address(f)
	l.work(f)
	c := countAnswers(f.RequestStats.Answers)
	l.answers(f, c)
	l.price(f, c)
	l.missing(f)
	l.conditions(f)
	return JobDiagnosis{Summary: jobSummary(f, c, l), Findings: l.rank()}
}

func jobSummary(f *NodeState, c *answerCounts, l jobFindings) string {
	took := fmt.Sprintf("%d segments and %d AI jobs were taken since %s", c.yes[requeststats.Segment],
		c.yes[requeststats.Job], stamp(f.RequestStats.Since))
	switch {
	case l.blocked():
		return "No jobs can come now; " + took + "."
	case c.yes[requeststats.Segment]+c.yes[requeststats.Job] > 0:
		return "Jobs do come: " + took + "."
	case c.asked == 0:
		return "No gateway asked since " + stamp(f.RequestStats.Since) + "."
	}
	return fmt.Sprintf("Gateways asked %d times, and no job came since %s.", c.asked, stamp(f.RequestStats.Since))
}

func (l jobFindings) blocked() bool {
	for _, f := range l {
		if f.Weight == Blocker {
			return true
		}
	}
	return false
}

// answerCounts sums up a day's answers.
type answerCounts struct {
	asked  uint64 // offers
	all    map[requeststats.Kind]uint64
	yes    map[requeststats.Kind]uint64
	no     map[fault.Code]uint64
	askers map[string]bool
	// offered are gateways that got an offer, worked those that sent work.
	offered, worked map[string]bool
	refusedTo       map[fault.Code]map[string]bool
}

func countAnswers(answers []requeststats.Answer) *answerCounts {
	c := &answerCounts{
		all: map[requeststats.Kind]uint64{}, yes: map[requeststats.Kind]uint64{}, no: map[fault.Code]uint64{},
		askers: map[string]bool{}, offered: map[string]bool{}, worked: map[string]bool{},
		refusedTo: map[fault.Code]map[string]bool{},
	}
	for _, a := range answers {
		c.add(a)
	}
	return c
}

func (c *answerCounts) add(a requeststats.Answer) {
	offer := a.Kind == requeststats.TranscodingOffer || a.Kind == requeststats.AIOffer
	c.all[a.Kind] += a.Count
	if offer {
		c.asked += a.Count
		c.askers[a.Gateway] = true
	} else {
		c.worked[a.Gateway] = true // it sent work, whatever the answer
	}
	if a.Code == "" {
		c.yes[a.Kind] += a.Count
		if offer {
			c.offered[a.Gateway] = true
		}
		return
	}
	c.no[a.Code] += a.Count
	if c.refusedTo[a.Code] == nil {
		c.refusedTo[a.Code] = map[string]bool{}
	}
	c.refusedTo[a.Code][a.Gateway] = true
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }
