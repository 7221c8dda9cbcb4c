package steady

import (
	"strings"
	"testing"
)

func TestGrowthIsFound(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		at   func(i int) sample
		want []string
	}{
		"level": {func(int) sample { return sample{100 << 20, 200, 50} }, nil},
		"noise": {func(i int) sample {
			return sample{float64((100 + i%7) << 20), float64(200 + i%20),
				float64(50 + i%9)}
		}, nil},
		"warms up": {func(i int) sample {
			return sample{float64(min(i, 20)+100) * (4 << 20),
				float64(min(i, 20) * 50), 50}
		}, nil},
		"leaks memory": {func(i int) sample { return sample{float64((100 + i) << 20), 200, 50} },
			[]string{"resident bytes"}},
		"leaks goroutines": {func(i int) sample { return sample{100 << 20, float64(200 + 2*i), 50} },
			[]string{"goroutines"}},
		"leaks files": {func(i int) sample { return sample{100 << 20, 200, float64(50 + i)} },
			[]string{"open files"}},
		"one peak in the end": {func(i int) sample { return sample{100 << 20, float64(200 + i/99*1000), 50} }, nil},
	} {
		samples := make([]sample, 100)
		for i := range samples {
			samples[i] = tt.at(i)
		}
		got := grown(samples)
		if len(got) != len(tt.want) {
			t.Errorf("%s: %v", name, got)
			continue
		}
		for i, want := range tt.want {
			if !strings.HasPrefix(got[i], want) {
				t.Errorf("%s: %v", name, got)
			}
		}
	}
	if got := grown(make([]sample, 3)); len(got) != 1 {
		t.Error(got)
	}
}
