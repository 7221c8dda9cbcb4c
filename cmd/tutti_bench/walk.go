package main

// maxRatio is the real-time duration ratio up to which a number of sessions is
// taken as sustainable: the rest is for transfer.
const maxRatio = 0.8

// walk finds the largest number of sessions with a ratio of at most maxRatio. It
// doubles from first until one is too many, then halves the gap. The limit is 0
// when a single session is too much.
func walk(first int, measure func(sessions int) (figures, error)) (limit *int, runs []figures, err error) {
	good, bad := 0, 0
	for n := first; bad == 0 || bad-good > 1; {
		f, err := measure(n)
		if err != nil {
			return nil, runs, err
		}
		runs = append(runs, f)
		if f.DurationRatio <= maxRatio {
			good = n
		} else {
			bad = n
		}
		if n = 2 * n; bad > 0 {
			n = (good + bad) / 2
		}
	}
	return &good, runs, nil
}
