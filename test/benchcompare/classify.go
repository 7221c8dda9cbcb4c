package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/tuttinode/tutti/test/figures"
	"github.com/tuttinode/tutti/test/procfs"
)

// byChance is the greatest probability of chance with which a figure counts as moved.
const byChance = 0.05

// verdict is what became of a figure.
type verdict string

const (
	worse  verdict = "WORSE"
	better verdict = "better"
	same   verdict = "same"
	gone   verdict = "gone"
	added  verdict = "new"
)

// row is a figure of both sides.
type row struct {
	name, unit string
	verdict    verdict
	// base and current are medians.
	base, current float64
	// effect is the median over the pairs of how much current is more than base, as a part of base; NaN where
	// base is not above 0.
	effect float64
	// chance is the sign test's: the probability that equal sides differ as clearly.
	chance    float64
	more, all int
}

// classify compares the figures that all runs of both sides have, in their order.
func classify(pairs []pair, least float64) (rows []row, err error) {
	if len(pairs) == 0 {
		return nil, errors.New("no pairs")
	}
	common := 0
	for _, f := range pairs[0][1] {
		r := row{name: f.Name, unit: f.Unit, verdict: added}
		old, now := values(pairs, f.Name)
		if old != nil && now != nil {
			common++
			r.compare(old, now, f.Better, least)
		}
		rows = append(rows, r)
	}
	for _, f := range pairs[0][0] {
		if !slices.ContainsFunc(rows, func(r row) bool { return r.name == f.Name }) {
			rows = append(rows, row{name: f.Name, unit: f.Unit, verdict: gone})
		}
	}
	if common == 0 {
		return nil, errors.New("the two have no figure in common")
	}
	return rows, nil
}

// values are a figure's in each pair, nil for a side that lacks it in one.
func values(pairs []pair, name string) (old, now []float64) {
	var out [2][]float64
	for _, p := range pairs {
		for side := range p {
			if i := slices.IndexFunc(p[side], func(f figures.Figure) bool { return f.Name == name }); i >= 0 {
				out[side] = append(out[side], p[side][i].Value)
			}
		}
	}
	for side := range out {
		if len(out[side]) < len(pairs) {
			out[side] = nil
		}
	}
	return out[0], out[1]
}

// compare fills the row from a figure's values in the pairs.
func (r *row) compare(old, now []float64, way figures.Better, least float64) {
	r.base, r.current, r.verdict = figures.Median(old), figures.Median(now), same
	var parts []float64
	for i := range old {
		switch cmp.Compare(now[i], old[i]) {
		case 1:
			r.more++
			r.all++
		case -1:
			r.all++
		}
		if old[i] > 0 {
			parts = append(parts, now[i]/old[i]-1)
		}
	}
	r.chance = signTest(r.more, r.all)
	// A difference has no part of a base that is 0 or below; any that is beyond chance counts there.
	r.effect = math.NaN()
	if len(parts) == len(old) {
		r.effect = middle(parts)
	}
	if r.chance > byChance || math.Abs(r.effect) < least {
		return
	}
	r.verdict = better
	if (2*r.more > r.all) == (way == figures.Lower) {
		r.verdict = worse
	}
}

// signTest is the probability that of so many pairs that differ, when each is as likely to go up as down, at least
// as many go one way as did. Pairs without a difference say nothing and are not in it.
func signTest(more, all int) float64 {
	if all == 0 {
		return 1
	}
	sum, ways := 0.0, 1.0
	for k := range min(more, all-more) + 1 {
		sum += ways
		ways *= float64(all-k) / float64(k+1)
	}
	return min(1, 2*sum/math.Pow(2, float64(all)))
}

// middle is the median, of an even number the mean of the two in the middle, so that an effect leans to neither side.
func middle(x []float64) float64 {
	sorted := slices.Sorted(slices.Values(x))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// print prints the rows and says whether one is worse.
func (s *settings) print(rows []row) (bad bool) {
	fmt.Fprintf(s.out, "\n%s of %s and of this tree, load %s\n", s.part, s.base, procfs.Load())
	fmt.Fprintf(s.out, "  %-70s %10s %10s %8s %8s %8s\n", "", "base", "current", "change", "up", "chance")
	for _, r := range rows {
		bad = bad || r.verdict == worse
		if r.verdict == added || r.verdict == gone {
			fmt.Fprintf(s.out, "  %-70s %s\n", r.name, r.verdict)
			continue
		}
		change := "-"
		if !math.IsNaN(r.effect) {
			change = fmt.Sprintf("%+.1f%%", 100*r.effect)
		}
		fmt.Fprintf(s.out, "  %-70s %10.4g %10.4g %8s %8s %8.3f  %s\n", r.name+" "+r.unit, r.base, r.current, change,
			fmt.Sprintf("%d/%d", r.more, r.all), r.chance, r.verdict)
	}
	return bad
}
