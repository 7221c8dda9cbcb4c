package main

import (
	"math"
	"testing"

	"github.com/tuttinode/tutti/test/figures"
)

// The wanted values are sums of binomial coefficients over powers of two.
func TestSignTest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		more, all int
		want      float64
	}{
		{0, 0, 1}, {1, 1, 1}, {5, 5, 2.0 / 32}, {6, 6, 2.0 / 64}, {0, 6, 2.0 / 64}, {3, 6, 1}, {9, 10, 22.0 / 1024},
		{1, 10, 22.0 / 1024}, {8, 10, 112.0 / 1024}, {10, 10, 2.0 / 1024}, {15, 20, 2 * 21700.0 / 1048576},
	} {
		if got := signTest(c.more, c.all); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%d of %d: %v, want %v", c.more, c.all, got, c.want)
		}
	}
}

func TestMiddle(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		x    []float64
		want float64
	}{{[]float64{2}, 2}, {[]float64{3, 1, 2}, 2}, {[]float64{4, -1, 1, 3}, 2}} {
		if got := middle(c.x); got != c.want {
			t.Errorf("%v: %v, want %v", c.x, got, c.want)
		}
	}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	steady := []float64{100, 101, 99, 100, 102, 98}
	plus := func(d float64) (out []float64) {
		for _, v := range steady {
			out = append(out, v+d)
		}
		return out
	}
	for name, c := range []struct {
		old, now []float64
		way      figures.Better
		want     verdict
	}{
		{steady, plus(0), figures.Lower, same},
		{steady, plus(10), figures.Lower, worse},
		{steady, plus(10), figures.Higher, better},
		{steady, plus(-10), figures.Lower, better},
		{steady, plus(-10), figures.Higher, worse},
		// Always more, but by less than what counts.
		{steady, plus(1), figures.Lower, same},
		// Much more in five pairs of six: that may be chance.
		{steady, []float64{150, 151, 149, 150, 152, 97}, figures.Lower, same},
		// No part of 0 can be told, and every run failed at something.
		{make([]float64, 6), []float64{1, 2, 1, 1, 3, 1}, figures.Lower, worse},
		{make([]float64, 6), make([]float64, 6), figures.Lower, same},
		// The machine was three times as slow in one half: both sides were.
		{[]float64{10, 10, 10, 30, 30, 30}, []float64{10.1, 9.9, 10.2, 29.7, 30.2, 29.5}, figures.Lower, same},
		{[]float64{10, 10, 10, 30, 30, 30}, []float64{11, 11, 11, 33, 33, 33}, figures.Lower, worse},
	} {
		var r row
		r.compare(c.old, c.now, c.way, 0.03)
		if r.verdict != c.want {
			t.Errorf("case %d: %v to %v, %s: %+v, want %s", name, c.old, c.now, c.way, r, c.want)
		}
	}
}

func TestClassifyDifferentFigures(t *testing.T) {
	t.Parallel()
	one := func(names ...string) (list []figures.Figure) {
		for _, n := range names {
			list = append(list, figures.Figure{Name: n, Value: 1, Better: figures.Lower})
		}
		return list
	}
	rows, err := classify([]pair{{one("a", "old"), one("a", "now")}, {one("a", "old"), one("a", "now")}}, 0.03)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]verdict{"a": same, "now": added, "old": gone}
	for _, r := range rows {
		if want[r.name] != r.verdict {
			t.Errorf("%s is %s, want %s", r.name, r.verdict, want[r.name])
		}
		delete(want, r.name)
	}
	if len(want) > 0 {
		t.Errorf("nothing of %v", want)
	}
	if _, err := classify([]pair{{one("old"), one("now")}}, 0.03); err == nil {
		t.Error("two without a figure in common were compared")
	}
}
