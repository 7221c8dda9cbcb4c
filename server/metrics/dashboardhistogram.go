package metrics

import "math"

// A dashboardHistogram's cells grow by a quarter, from 10 µs in seconds on; the last has all
// that is more.
const (
	cells   = 72
	growth  = 1.25
	lowest  = 1e-5
	cellErr = 0.5 // where in its cell a value is taken to be, as an exponent
)

// dashboardHistogram counts positive numbers by their size, so that percentiles of many cost
// little memory; they are right to a tenth.
type dashboardHistogram struct {
	cells [cells]uint32
	n     uint32
}

func (h *dashboardHistogram) add(v float64) {
	i := 0
	if v > lowest {
		i = min(cells-1, 1+int(math.Log(v/lowest)/math.Log(growth)))
	}
	h.cells[i]++
	h.n++
}

// percentile returns the number below which a share of all lies, 0 where there are none.
func (h *dashboardHistogram) percentile(share float64) float64 {
	if h.n == 0 {
		return 0
	}
	rank := uint32(math.Ceil(share * float64(h.n)))
	var seen uint32
	for i, n := range h.cells {
		if seen += n; seen >= max(rank, 1) {
			return lowest * math.Pow(growth, float64(i)-cellErr)
		}
	}
	return 0
}
