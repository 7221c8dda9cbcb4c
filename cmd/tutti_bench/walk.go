package main

import "fmt"

// maxRatio is the real-time duration ratio up to which a number of sessions is
// taken as sustainable: the rest is for transfer.
const maxRatio = 0.8

// walk finds the largest number of sessions with a ratio of at most maxRatio. It
// doubles from first until one is too many, then halves the gap. A number with
// which a segment fails, for want of memory or encoders, is too many. The limit is
// 0 when a single session is too slow; one that fails is an error.
func walk(first int, measure func(sessions int) (figures, error)) (limit *int, runs []figures, err error) {
	good, bad := 0, 0
	for n := first; bad == 0 || bad-good > 1; {
		f, err := measure(n)
		if err != nil {
			return nil, runs, err
		}
		runs = append(runs, f)
		switch {
		case f.Failure != "" && n == 1:
			return nil, runs, fmt.Errorf("not even one session: %s", f.Failure)
		case f.Failure == "" && f.DurationRatio <= maxRatio:
			good = n
		default:
			bad = n
		}
		if n = 2 * n; bad > 0 {
			n = (good + bad) / 2
		}
	}
	return &good, runs, nil
}
