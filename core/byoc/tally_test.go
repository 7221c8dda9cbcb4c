package byoc_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/tuttinode/tutti/core/byoc"
	"github.com/tuttinode/tutti/pm"
)

// Work counts while it runs and after its end, at its own price, and once.
func TestTally(t *testing.T) {
	t.Parallel()
	tally, seconds := byoc.NewTally(), int64(0)
	price := pm.Price{PerUnit: 7, PixelsPerUnit: 2}
	end := tally.Begin("upscale", price, func() int64 { return seconds })
	tally.Begin("upscale", pm.Price{PixelsPerUnit: 1}, func() int64 { return 4 })()
	check := func(jobs, want int64, earned pm.Value) {
		t.Helper()
		u := tally.All()["upscale"]
		if u.Jobs != jobs || u.Seconds != want || !u.Earned.Equal(earned) {
			t.Errorf("%+v, want %d jobs, %d s, %s wei", u, jobs, want, earned)
		}
	}
	check(2, 4, pm.Value{})
	seconds = 3
	check(2, 7, price.Of(3))
	end()
	end()
	seconds = 100
	check(2, 7, price.Of(3))
	if all := tally.All(); len(all) != 1 {
		t.Error(all)
	}
}

// Names that come and go do not fill the memory, and work of many parties at once is all counted.
func TestTallyOfMany(t *testing.T) {
	t.Parallel()
	tally := byoc.NewTally()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 1000 {
				tally.Begin("steady", pm.Price{PerUnit: 1, PixelsPerUnit: 1}, func() int64 { return 1 })()
				_ = tally.All()["steady"]
			}
		})
	}
	all.Wait()
	if u := tally.All()["steady"]; u.Jobs != 8000 || u.Seconds != 8000 || u.Earned.Floor().Int64() != 8000 {
		t.Errorf("%+v", u)
	}
	for i := range 6000 {
		tally.Begin(fmt.Sprint(i), pm.Price{PixelsPerUnit: 1}, func() int64 { return 1 })()
	}
	if n := len(tally.All()); n > 4096 {
		t.Errorf("%d names are kept", n)
	}
}
