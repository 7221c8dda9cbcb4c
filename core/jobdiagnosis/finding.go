package jobdiagnosis

import (
	"cmp"
	"slices"

	"github.com/tuttinode/tutti/core/fault"
)

// Weight is how much a finding keeps work away.
type Weight string

// The weights. With a Blocker no job can arrive at all; a Likely finding probably explains
// why there are few; a Hint may.
const (
	Blocker Weight = "blocker"
	Likely  Weight = "likely"
	Hint    Weight = "hint"
)

var weights = map[Weight]int{Blocker: 0, Likely: 1, Hint: 2}

// Finding is one reason why no jobs arrive.
type Finding struct {
	Weight Weight
	// Says is one sentence; Evidence supports it.
	Says     string
	Evidence []string
	Remedy   string
	// Code is the related fault, "" for none; see `tutti help CODE`.
	Code fault.Code
}

// list collects findings.
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

// rank sorts by weight and keeps the order of equal ones.
func (l list) rank() []Finding {
	slices.SortStableFunc(l, func(a, b Finding) int { return cmp.Compare(weights[a.Weight], weights[b.Weight]) })
	return l
}
