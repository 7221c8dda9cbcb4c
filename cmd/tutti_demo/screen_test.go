package main

import (
	"testing"
	"time"
)

// TestScreen plays segments of a second, 10 pictures each, that arrive at once.
func TestScreen(t *testing.T) {
	t.Parallel()
	const step = ticks / 10
	begin := time.Unix(1_700_000_000, 0)
	for name, tc := range map[string]struct {
		// arrivals are those of the segments, in milliseconds; stamps their first time stamps, in tenths of a second.
		arrivals, stamps []int
		frozen           time.Duration
	}{
		"in time":                     {[]int{0, 1000, 2000, 3000}, []int{0, 10, 20, 30}, 100 * time.Millisecond},
		"late, within the delay":      {[]int{0, 1000, 4400, 4500}, []int{0, 10, 20, 30}, 100 * time.Millisecond},
		"late":                        {[]int{0, 1000, 6500, 6600}, []int{0, 10, 20, 30}, 2100 * time.Millisecond},
		"two are missing":             {[]int{0, 1000, 4000, 5000}, []int{0, 10, 40, 50}, 2100 * time.Millisecond},
		"missing, stamps are joined":  {[]int{0, 1000, 4000, 5000}, []int{0, 10, 20, 30}, 100 * time.Millisecond},
		"late, and then in time":      {[]int{0, 1000, 5500, 6500, 7500}, []int{0, 10, 20, 30, 40}, 1100 * time.Millisecond},
		"late twice counts once more": {[]int{0, 1000, 5500, 8500}, []int{0, 10, 20, 30}, 2100 * time.Millisecond},
	} {
		var s screen
		const wraps = 1<<32 - 5*step
		for i, at := range tc.arrivals {
			for p := range 10 {
				s.picture(begin.Add(time.Duration(at)*time.Millisecond), uint32(wraps+(tc.stamps[i]+p)*step))
			}
		}
		if s.frozen != tc.frozen {
			t.Errorf("%s: frozen for %v, want %v", name, s.frozen, tc.frozen)
		}
	}
}

// TestScreenCatchesUp: what a player had to wait for once is no delay that hides the next wait.
func TestScreenCatchesUp(t *testing.T) {
	t.Parallel()
	begin, s := time.Unix(1_700_000_000, 0), screen{}
	s.picture(begin, 0)
	s.picture(begin.Add(10*time.Second), ticks)
	s.reset()
	s.picture(begin.Add(10*time.Second+200*time.Millisecond), 2*ticks)
	if s.frozen != 200*time.Millisecond {
		t.Error("the last picture was due long ago, and is shown as it arrives:", s.frozen)
	}
}
