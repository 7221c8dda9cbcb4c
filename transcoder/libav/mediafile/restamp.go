package mediafile

import "slices"

// DecodeTimes returns decode times for packets in the order of decoding, by their
// presentation times, which all differ: they grow, none is after its packet's
// presentation time, and the first ones are as little earlier than the first
// presentation time as the packets' order allows.
//
// An encoder that is kept for several streams goes on counting where the last one
// ended, and its own decode times are wrong from the second one on.
func DecodeTimes(pts []int64) []int64 {
	sorted := slices.Clone(pts)
	slices.Sort(sorted)
	delay := 0
	for i, t := range pts {
		rank, _ := slices.BinarySearch(sorted, t)
		delay = max(delay, i-rank)
	}
	step := int64(1)
	if len(sorted) > 1 {
		step = max(1, sorted[1]-sorted[0])
	}
	dts := make([]int64, len(pts))
	for i := range dts {
		if i >= delay {
			dts[i] = sorted[i-delay]
		} else {
			dts[i] = sorted[0] - int64(delay-i)*step
		}
	}
	return dts
}
