package mediafile_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/transcoder/libav/mediafile"
)

func TestRescale(t *testing.T) {
	t.Parallel()
	ms := mediafile.TimeBase{Num: 1, Den: 1000}
	tests := []struct {
		t        int64
		from, to mediafile.TimeBase
		want     int64
	}{
		{1000, ms, mediafile.MPEGClock, 90000},
		{-1000, ms, mediafile.MPEGClock, -90000},
		{1, mediafile.MPEGClock, ms, 0},
		{45, mediafile.MPEGClock, ms, 1},
		{-45, mediafile.MPEGClock, ms, -1},
		{mediafile.NoTime, ms, mediafile.MPEGClock, mediafile.NoTime},
		{math.MaxInt64, ms, mediafile.MPEGClock, math.MaxInt64 / 8},
		{math.MinInt64 + 1, ms, mediafile.MPEGClock, -math.MaxInt64 / 8},
	}
	for _, tt := range tests {
		if got := mediafile.Rescale(tt.t, tt.from, tt.to); got != tt.want {
			t.Errorf("Rescale(%d): got %d, want %d", tt.t, got, tt.want)
		}
	}
}

func TestLine(t *testing.T) {
	t.Parallel()
	const none = mediafile.NoTime
	tests := []struct {
		name    string
		nominal int64
		in      [][3]int64
		want    []int64
	}{
		{"times are kept", 0, [][3]int64{{100, 0, 10}, {105, 0, 10}, {400, 0, 10}}, []int64{100, 105, 400}},
		{"the decoder's guess", 0, [][3]int64{{100, none, 10}, {none, 112, 10}}, []int64{100, 112}},
		{"the frame's own length", 0, [][3]int64{{100, none, 10}, {none, none, 10}, {none, none, 10}},
			[]int64{100, 110, 120}},
		{"the source's rate", 7, [][3]int64{{100, none, 0}, {none, none, 0}}, []int64{100, 107}},
		{"one tick at last", 0, [][3]int64{{100, none, 0}, {none, none, 0}}, []int64{100, 101}},
		{"backward and equal times", 0, [][3]int64{{100, 0, 10}, {100, 0, 10}, {50, 0, 10}, {110, 0, 10}},
			[]int64{100, 101, 102, 110}},
		{"no time at all", 10, [][3]int64{{none, none, 0}, {none, none, 0}}, []int64{0, 10}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			line := mediafile.Timeline{Nominal: tt.nominal}
			var got []int64
			for _, f := range tt.in {
				at, _ := line.Next(f[0], f[1], f[2])
				got = append(got, at)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// count returns how many output frames a segment of frames at the given distance
// gives, beginning at first.
func count(num, den, first, distance int64, frames int) int64 {
	g := mediafile.NewGrid(mediafile.MPEGClock, num, den)
	var n int64
	at := first
	for range frames {
		n += g.Add(at).Len()
		at += distance
	}
	return n + g.End(at).Len()
}

func TestGridCounts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		num, den int64
		distance int64
		frames   int
		want     int64
	}{
		{30, 1, 1500, 120, 60},
		{15, 1, 1500, 120, 30},
		{123, 1, 1500, 120, 246},
		{24000, 1001, 1500, 120, 48},
		{30000, 1001, 1500, 120, 60},
		{60000, 1001, 1500, 120, 120},
		{10, 1, 90000, 10, 100},
		{30, 1, 3000, 1, 1},
		{1, 1, 30000, 1, 1},
		{1, 1, 30000, 2, 1},
		{1, 1, 30000, 3, 1},
		{1, 1, 30000, 5, 2},
		{1, 1, 30000, 6, 2},
		{1, 1, 30000, 10, 3},
	}
	for _, tt := range tests {
		for _, first := range []int64{0, 1, 126000, 8589934591} {
			t.Run(fmt.Sprintf("%d_frames_at_%d/%d_from_%d", tt.frames, tt.num, tt.den, first), func(t *testing.T) {
				t.Parallel()
				if got := count(tt.num, tt.den, first, tt.distance, tt.frames); got != tt.want {
					t.Errorf("got %d frames, want %d", got, tt.want)
				}
			})
		}
	}
}

// Slots are contiguous from 0, at least one comes out, and their times grow from
// the first frame's.
func TestGridProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := mediafile.NewGrid(mediafile.MPEGClock, rapid.Int64Range(1, 1000).Draw(t, "num"),
			rapid.Int64Range(1, 1001).Draw(t, "den"))
		at := rapid.Int64Range(0, 1<<33).Draw(t, "first")
		first := at
		var next int64
		check := func(s mediafile.Slots) {
			if s.From != next || s.To < s.From {
				t.Fatalf("slots %v after %d", s, next)
			}
			next = s.To
		}
		for range rapid.IntRange(1, 50).Draw(t, "frames") {
			check(g.Add(at))
			at += rapid.Int64Range(1, 1<<20).Draw(t, "distance")
		}
		check(g.End(at))
		if next < 1 {
			t.Fatal("no frame came out")
		}
		if g.Time(0) != first {
			t.Fatalf("first output at %d, source at %d", g.Time(0), first)
		}
		if next > 1 && g.Time(next-1) <= g.Time(next-2) {
			t.Fatal("times do not grow")
		}
	})
}

func TestGridWithoutFrames(t *testing.T) {
	t.Parallel()
	if n := mediafile.NewGrid(mediafile.MPEGClock, 30, 1).End(100).Len(); n != 0 {
		t.Errorf("got %d frames from nothing", n)
	}
}

func TestWindow(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		w    mediafile.Window
		at   int64
		want bool
	}{
		{"before", mediafile.Window{From: 10, To: 20}, 9, false},
		{"at the start", mediafile.Window{From: 10, To: 20}, 10, true},
		{"inside", mediafile.Window{From: 10, To: 20}, 19, true},
		{"at the end of a source", mediafile.Window{From: 10, To: 20}, 20, false},
		{"at the end of a grid", mediafile.Window{From: 10, To: 20, EndInside: true}, 20, true},
		{"after", mediafile.Window{From: 10, To: 20, EndInside: true}, 21, false},
		{"open end", mediafile.Window{From: 10}, 1 << 40, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.w.Keeps(1000+tt.at, 1000); got != tt.want {
				t.Errorf("got %v", got)
			}
		})
	}
	if got := (mediafile.Window{To: 20}).Shift(1000); got != 0 {
		t.Errorf("an end alone moves times by %d", got)
	}
	if got := (mediafile.Window{From: 10}).Shift(1000); got != 1010 {
		t.Errorf("a start moves times by %d, want 1010", got)
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	k := mediafile.Keys{Interval: 27000}
	n := 0
	for at := int64(126000); at < 126000+180000; at += 1500 {
		if k.Force(at) {
			n++
		}
	}
	if n != 7 {
		t.Errorf("2 s in steps of 0.3 s: got %d key frames, want 7", n)
	}
	once := mediafile.Keys{}
	if !once.Force(5) || once.Force(1<<40) {
		t.Error("without an interval only the first frame is forced")
	}
}

func TestOrder(t *testing.T) {
	t.Parallel()
	const none = mediafile.NoTime
	tests := []struct {
		name     string
		in, want [][2]int64
	}{
		{"good times stay", [][2]int64{{3000, 0}, {9000, 3000}, {6000, 6000}},
			[][2]int64{{3000, 0}, {9000, 3000}, {6000, 6000}}},
		{"reordering at the start of the clock",
			[][2]int64{{0, -6000}, {12000, -3000}, {6000, 0}, {3000, 3000}},
			[][2]int64{{0, 0}, {12000, 1}, {6000, 2}, {3000, 3000}}},
		{"decode time after presentation time", [][2]int64{{100, 100}, {150, 200}}, [][2]int64{{100, 100}, {150, 150}}},
		{"repeated and backward times", [][2]int64{{100, 100}, {100, 100}, {50, 50}},
			[][2]int64{{100, 100}, {101, 101}, {102, 102}}},
		{"missing times", [][2]int64{{none, none}, {none, 50}, {60, none}}, [][2]int64{{0, 0}, {50, 50}, {60, 60}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var o mediafile.Order
			for i, p := range tt.in {
				pts, dts := o.Next(p[0], p[1])
				if got := [2]int64{pts, dts}; got != tt.want[i] {
					t.Errorf("packet %d: got %v, want %v", i, got, tt.want[i])
				}
			}
		})
	}
}

func TestOrderNegative(t *testing.T) {
	t.Parallel()
	o := mediafile.Order{Negative: true}
	for _, p := range [][2]int64{{0, -6000}, {12000, -3000}, {6000, 0}} {
		if pts, dts := o.Next(p[0], p[1]); [2]int64{pts, dts} != p {
			t.Errorf("got %d, %d from %v", pts, dts, p)
		}
	}
	o = mediafile.Order{Negative: true}
	if pts, dts := o.Next(mediafile.NoTime, mediafile.NoTime); pts != 0 || dts != 0 {
		t.Errorf("a packet without times is at %d, %d", pts, dts)
	}
}

func TestOrderProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var o mediafile.Order
		last := int64(-1)
		for range 20 {
			pts, dts := o.Next(rapid.Int64Range(-1000, 1000).Draw(t, "pts"), rapid.Int64Range(-1000, 1000).Draw(t, "dts"))
			if dts <= last || pts < dts {
				t.Fatalf("pts %d dts %d after %d", pts, dts, last)
			}
			last = dts
		}
	})
}
