package selectionweights_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/selectionweights"
)

func addr(n byte) core.Address { return core.Address{19: n} }

func of(owner byte, stake uint64, price int64) selectionweights.Candidate {
	return selectionweights.Candidate{Owner: addr(owner), Stake: core.LPTTokens(stake), Price: big.NewRat(price, 1),
		Speed: 1}
}

func TestShares(t *testing.T) {
	t.Parallel()
	def := selectionweights.DefaultWeights()
	half := of(2, 100, 0)
	half.Speed = 0.5
	never := of(2, 100, 0)
	never.Speed = 0
	for name, row := range map[string]struct {
		w    selectionweights.Weights
		cs   []selectionweights.Candidate
		want []float64
	}{
		"one":   {def, []selectionweights.Candidate{of(1, 5, 3)}, []float64{1}},
		"alike": {def, []selectionweights.Candidate{of(1, 5, 0), of(2, 5, 0)}, []float64{0.5, 0.5}},
		"by stake": {def, []selectionweights.Candidate{of(1, 300, 0), of(2, 100, 0)},
			[]float64{0.15 + 0.525, 0.15 + 0.175}},
		"without stake":   {def, []selectionweights.Candidate{of(1, 100, 0), of(2, 0, 0)}, []float64{0.85, 0.15}},
		"no stake at all": {def, []selectionweights.Candidate{of(1, 0, 0), of(2, 0, 9)}, []float64{0.5, 0.5}},
		"two addresses of one owner": {def, []selectionweights.Candidate{of(1, 100, 0), of(2, 100, 0), of(2, 100, 0)},
			[]float64{0.5, 0.25, 0.25}},
		"unknown owners": {def, []selectionweights.Candidate{of(0, 0, 0), of(0, 0, 0)}, []float64{0.5, 0.5}},
		"price": {selectionweights.Weights{Price: 1, PriceExpFactor: 100},
			[]selectionweights.Candidate{of(1, 0, 0), of(2, 9, 100)}, []float64{math.E / (1 + math.E), 1 / (1 + math.E)}},
		"high prices": {selectionweights.Weights{Price: 1, PriceExpFactor: 100},
			[]selectionweights.Candidate{of(1, 0, 1e9), of(2, 9, 1e9+100)}, []float64{math.E / (1 + math.E), 1 / (1 + math.E)}},
		"stake alone, none": {selectionweights.Weights{Stake: 1}, []selectionweights.Candidate{of(1, 0, 0), of(2, 0, 0)},
			[]float64{0.5, 0.5}},
		"half as well":      {def, []selectionweights.Candidate{of(1, 100, 0), half}, []float64{2.0 / 3, 1.0 / 3}},
		"hardly any chance": {def, []selectionweights.Candidate{of(1, 100, 0), never}, []float64{1 / 1.001, 0.001 / 1.001}},
		"no weights": {selectionweights.Weights{}, []selectionweights.Candidate{of(1, 5, 0), of(2, 5, 0)},
			[]float64{0.5, 0.5}},
	} {
		r := selectionweights.Rule{Weights: row.w}
		got := r.Shares(row.cs)
		for i := range row.want {
			if math.Abs(got[i]-row.want[i]) > 1e-9 {
				t.Errorf("%s: %v, want %v", name, got, row.want)
				break
			}
		}
	}
}

func TestEligible(t *testing.T) {
	t.Parallel()
	slow := of(3, 1, 1)
	slow.Scored, slow.Score = true, 0.4
	cs := []selectionweights.Candidate{of(1, 1, 10), of(2, 1, 11), slow}
	for name, row := range map[string]struct {
		r    selectionweights.Rule
		cs   []selectionweights.Candidate
		want []int
	}{
		"all":           {selectionweights.Rule{}, cs, []int{0, 1, 2}},
		"cap":           {selectionweights.Rule{MaxPrice: big.NewRat(10, 1)}, cs, []int{0, 2}},
		"floor":         {selectionweights.Rule{MinScore: 0.5}, cs, []int{0, 1}},
		"all expensive": {selectionweights.Rule{MaxPrice: big.NewRat(5, 1)}, cs[:2], nil},
		"needed":        {selectionweights.Rule{MaxPrice: big.NewRat(5, 1), IgnoreMaxPrice: true}, cs[:2], []int{0, 1}},
		"not needed":    {selectionweights.Rule{MaxPrice: big.NewRat(10, 1), IgnoreMaxPrice: true}, cs[:2], []int{0}},
		"needed and slow": {selectionweights.Rule{MaxPrice: big.NewRat(1, 2), IgnoreMaxPrice: true, MinScore: 0.5}, cs,
			[]int{0, 1}},
		"free": {selectionweights.Rule{MaxPrice: new(big.Rat)}, []selectionweights.Candidate{{}}, []int{0}},
	} {
		if got := row.r.Eligible(row.cs); !slices.Equal(got, row.want) {
			t.Errorf("%s: %v, want %v", name, got, row.want)
		}
	}
	r := selectionweights.Rule{MaxPrice: new(big.Rat)}
	if got := r.Choose(cs, 0.5); got != -1 {
		t.Errorf("chose %d of no candidates", got)
	}
}

// TestFrequencies draws and compares with the shares by chi-square.
func TestFrequencies(t *testing.T) {
	t.Parallel()
	slow := of(4, 50, 30)
	slow.Speed = 0.3
	cs := []selectionweights.Candidate{of(1, 1000, 10), of(2, 200, 5), of(3, 0, 1), slow, of(5, 70, 2), of(5, 70, 2),
		of(6, 10, 9999)}
	r := selectionweights.Rule{Weights: selectionweights.Weights{Random: 0.3, Stake: 0.5, Price: 0.2,
		PriceExpFactor: 100}, MaxPrice: big.NewRat(5000, 1)}
	shares := r.Shares(cs[:6])
	random := rand.New(rand.NewPCG(7, 11))
	const draws = 60_000
	var seen [7]float64
	for range draws {
		seen[r.Choose(cs, random.Float64())]++
	}
	chi := 0.0
	for i, p := range shares {
		d := seen[i] - p*draws
		chi += d * d / (p * draws)
	}
	// Five degrees of freedom: 20.5 is passed once in a thousand.
	if chi > 20.5 || seen[6] != 0 {
		t.Errorf("chi-square %.1f, drawn %v, shares %v", chi, seen, shares)
	}
}

func TestProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		cs := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) selectionweights.Candidate {
			return selectionweights.Candidate{
				Owner: addr(rapid.Byte().Draw(t, "owner") % 6), Stake: core.NewLPT(rapid.Uint64().Draw(t, "stake")),
				Price: big.NewRat(rapid.Int64Range(0, 1<<40).Draw(t, "price"), 1+rapid.Int64Range(0, 1000).Draw(t, "units")),
				Speed: rapid.Float64Range(0, 2).Draw(t, "speed"), Score: rapid.Float64Range(0, 1).Draw(t, "score"),
				Scored: rapid.Bool().Draw(t, "scored"),
			}
		}), 1, 12).Draw(t, "candidates")
		r := selectionweights.Rule{Weights: selectionweights.DefaultWeights(), MaxPrice: big.NewRat(1<<30, 1),
			IgnoreMaxPrice: rapid.Bool().Draw(t, "ignore"), MinScore: 0.3}
		r.Price = rapid.Float64Range(0, 1).Draw(t, "weight")
		sum := 0.0
		for _, p := range r.Shares(cs) {
			if !(p > 0) && !(p == 0) || math.IsNaN(p) {
				t.Fatalf("share %v", p)
			}
			sum += p
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Fatalf("shares add up to %v", sum)
		}
		got, eligible := r.Choose(cs, rapid.Float64Range(0, 1).Draw(t, "random")), r.Eligible(cs)
		if got == -1 && len(eligible) > 0 || got >= 0 && !slices.Contains(eligible, got) {
			t.Fatalf("chose %d of %v", got, eligible)
		}
	})
}

// An owner's chance does not grow with the number of places it offers.
func TestTwoAddressesGainNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := selectionweights.Rule{Weights: selectionweights.DefaultWeights()}
		others := []selectionweights.Candidate{of(1, 100, 5), of(2, rapid.Uint64Range(0, 1000).Draw(t, "stake"), 7)}
		mine := of(3, rapid.Uint64Range(0, 1000).Draw(t, "mine"), 3)
		once := r.Shares(append(slices.Clone(others), mine))[2]
		many := slices.Clone(others)
		for range rapid.IntRange(1, 20).Draw(t, "places") {
			many = append(many, mine)
		}
		sum := 0.0
		for _, p := range r.Shares(many)[2:] {
			sum += p
		}
		if math.Abs(sum-once) > 1e-9 {
			t.Fatalf("%v at one place, %v at several", once, sum)
		}
	})
}
