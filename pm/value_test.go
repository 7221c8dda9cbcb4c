package pm_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/tuttinode/tutti/pm"
)

// TestSumsAreThoseOfRationals: whole amounts are added by themselves, and the results are what rational numbers give,
// whether both are whole, one or none, and whether or not an operand is the zero Value. Operands stay as they were.
func TestSumsAreThoseOfRationals(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	number := func() *big.Rat {
		n := new(big.Int).Lsh(big.NewInt(random.Int64()-1<<62), random.UintN(80))
		switch random.IntN(4) {
		case 0:
			return new(big.Rat)
		case 1:
			return new(big.Rat).SetFrac(n, big.NewInt(1+random.Int64N(1000)))
		}
		return new(big.Rat).SetInt(n)
	}
	for range 20_000 {
		x, y := number(), number()
		if random.IntN(10) == 0 {
			y = x
		}
		a, b := pm.ValueOf(x), pm.ValueOf(y)
		if x.Sign() == 0 && random.IntN(2) == 0 {
			a = pm.Value{}
		}
		sum, difference := a.Add(b), a.Sub(b)
		if want := new(big.Rat).Add(x, y); sum.Rat().Cmp(want) != 0 || sum.Rat().RatString() != want.RatString() {
			t.Fatalf("%v + %v = %v, want %v", x, y, sum.Rat(), want)
		}
		want := new(big.Rat).Sub(x, y)
		if difference.Rat().Cmp(want) != 0 || difference.Sign() != want.Sign() {
			t.Fatalf("%v - %v = %v, want %v", x, y, difference.Rat(), want)
		}
		if a.Cmp(b) != x.Cmp(y) || a.Equal(b) != (x.Cmp(y) == 0) {
			t.Fatalf("%v against %v: %d, want %d", x, y, a.Cmp(b), x.Cmp(y))
		}
		if back := sum.Sub(b); !back.Equal(a) || a.Rat().Cmp(x) != 0 || b.Rat().Cmp(y) != 0 {
			t.Fatalf("%v + %v - %v = %v, or an operand changed: %v, %v", x, y, y, back.Rat(), a.Rat(), b.Rat())
		}
	}
}

func BenchmarkAdd(b *testing.B) {
	x, y := pm.ValueOf(big.NewRat(123_456_789_012_345_678, 1)), pm.ValueOf(big.NewRat(987_654_321, 1))
	b.ReportAllocs()
	for b.Loop() {
		_ = x.Add(y)
	}
}

// Sums, differences, products and costs are exact, also where a part of them is zero or whole, and leave their parts
// as they are.
func TestValuesAreExact(t *testing.T) {
	t.Parallel()
	numbers := []*big.Rat{new(big.Rat), big.NewRat(1, 1), big.NewRat(-7, 1), big.NewRat(22, 7), big.NewRat(-1, 3),
		new(big.Rat).SetFrac(big.NewInt(5), new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 256), big.NewInt(1)))}
	values := []pm.Value{{}}
	for _, r := range numbers {
		values = append(values, pm.ValueOf(r))
	}
	numbers = append([]*big.Rat{new(big.Rat)}, numbers...)
	is := func(what string, got pm.Value, want *big.Rat) {
		t.Helper()
		if got.Rat().Cmp(want) != 0 || got.Rat().RatString() != want.RatString() {
			t.Errorf("%s: %s, want %s", what, got.Rat(), want)
		}
	}
	for i, v := range values {
		for k, o := range values {
			is("sum", v.Add(o), new(big.Rat).Add(numbers[i], numbers[k]))
			is("difference", v.Sub(o), new(big.Rat).Sub(numbers[i], numbers[k]))
			is("left", v, numbers[i])
			is("right", o, numbers[k])
		}
		for _, n := range []int64{0, 1, -3, math.MaxInt64, math.MinInt64} {
			is("product", v.Times(n), new(big.Rat).Mul(numbers[i], new(big.Rat).SetInt64(n)))
		}
	}
	for _, p := range []pm.Price{{}, {PerUnit: 6, PixelsPerUnit: 4}, {PerUnit: math.MaxInt64, PixelsPerUnit: 3},
		{PerUnit: 7, PixelsPerUnit: 1}, {PerUnit: 7}} {
		for _, n := range []int64{0, 1, 2, 12, math.MaxInt64} {
			is("cost", p.Of(n), new(big.Rat).Mul(p.Rat(), new(big.Rat).SetInt64(n)))
		}
	}
}
