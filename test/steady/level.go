package steady

import (
	"fmt"
	"slices"
)

// sample is what a process holds at a time.
type sample struct{ resident, goroutines, files float64 }

// slack is how much later samples may be above earlier ones: a share and a number.
type slack struct{ share, number float64 }

// figures are what must stay level, with what growth is taken for noise: a heap that
// has not met its largest moment yet, connections that happen to be open.
var figures = []struct {
	name string
	of   func(sample) float64
	may  slack
}{
	{"resident bytes", func(s sample) float64 { return s.resident }, slack{0.10, 24 << 20}},
	{"goroutines", func(s sample) float64 { return s.goroutines }, slack{0.10, 30}},
	{"open files", func(s sample) float64 { return s.files }, slack{0.10, 15}},
}

// grown says which figures rose between the second quarter of a run and its last: the
// first is for warming up.
func grown(samples []sample) (out []string) {
	quarter := len(samples) / 4
	if quarter == 0 {
		return []string{fmt.Sprintf("only %d samples", len(samples))}
	}
	for _, f := range figures {
		before, after := median(samples[quarter:2*quarter], f.of), median(samples[len(samples)-quarter:], f.of)
		if after > before*(1+f.may.share)+f.may.number {
			out = append(out, fmt.Sprintf("%s rose from %.0f to %.0f", f.name, before, after))
		}
	}
	return out
}

func median(samples []sample, of func(sample) float64) float64 {
	values := make([]float64, len(samples))
	for i, s := range samples {
		values[i] = of(s)
	}
	slices.Sort(values)
	return values[len(values)/2]
}
