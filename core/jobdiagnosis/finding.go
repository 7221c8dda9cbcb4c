package jobdiagnosis

import (
	"cmp"
	"slices"

	"github.com/tuttinode/tutti/core/fault"
)

// Weight says how much a finding keeps work away.
type Weight string

// The weights. With a Blocker no job can come at all; a Likely one is a good reason for
// few; a Hint may be one.
const (
	Blocker Weight = "blocker"
	Likely  Weight = "likely"
	Hint    Weight = "hint"
)

var weights = map[Weight]int{Blocker: 0, Likely: 1, Hint: 2}

// Finding is one reason.
type Finding struct {
	Weight Weight
	// Says is a plain sentence; Evidence are the facts behind it.
	Says     string
	Evidence []string
	Remedy   string
	// Code is the fault that it belongs to, "" for none: `tutti help CODE` says more.
	Code fault.Code
}

// list gathers findings.
type list []Finding

func (l *list) add(w Weight, code fault.Code, says, remedy string, evidence ...string) {
	if row, known := fault.Lookup(code); remedy == "" && known {
		remedy = row.Remedy
	}
	evidence = slices.DeleteFunc(slices.Clone(evidence), func(s string) bool { return s == "" })
	*l = append(*l, Finding{Weight: w, Says: says, Evidence: evidence, Remedy: remedy, Code: code})
}

func (l list) has(code fault.Code) bool {
	return slices.ContainsFunc(l, func(f Finding) bool { return f.Code == code })
}

// rank puts the heaviest first, and keeps the order in which they were found.
func (l list) rank() []Finding {
	slices.SortStableFunc(l, func(a, b Finding) int { return cmp.Compare(weights[a.Weight], weights[b.Weight]) })
	return l
}
