package doctor

import (
	"cmp"
	"slices"

	"github.com/tuttinode/tutti/core/fault"
)

// FindingWeight is how much a finding keeps work away.
type FindingWeight string

// The weights. With a Blocker no job can arrive at all; a Likely finding probably explains
// why there are few; a Hint may.
const (
	Blocker FindingWeight = "blocker"
	Likely  FindingWeight = "likely"
	Hint    FindingWeight = "hint"
)

// order sorts the weights, the heaviest first.
func (w FindingWeight) order() int {
	switch w {
	case Likely:
		return 1
	case Hint:
		return 2
	}
	return 0
}

// JobFinding is one reason why no jobs arrive.
type JobFinding struct {
	Weight FindingWeight
	// Says is one sentence; Evidence supports it.
	Says     string
	Evidence []string
	Remedy   string
	// Code is the related fault, "" for none; see `tutti help CODE`.
	Code fault.Code
}

// jobFindings collects findings.
type jobFindings []JobFinding

func (l *jobFindings) add(w FindingWeight, code fault.Code, says, remedy string, evidence ...string) {
	if row, known := fault.Lookup(code); remedy == "" && known {
		remedy = row.Remedy
	}
	evidence = slices.DeleteFunc(slices.Clone(evidence), func(s string) bool { return s == "" })
	*l = append(*l, JobFinding{Weight: w, Says: says, Evidence: evidence, Remedy: remedy, Code: code})
}

func (l jobFindings) has(code fault.Code) bool {
	return slices.ContainsFunc(l, func(f JobFinding) bool { return f.Code == code })
}

// rank sorts by weight and keeps the order of equal ones.
func (l jobFindings) rank() []JobFinding {
	slices.SortStableFunc(l, func(a, b JobFinding) int { return cmp.Compare(a.Weight.order(), b.Weight.order()) })
	return l
}
