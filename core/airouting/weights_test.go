package airouting_test

import (
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/airouting"
	"github.com/tuttinode/tutti/core/selectionweights"
)

func staked(uri string, n byte, stake uint64) airouting.Offer {
	return airouting.Offer{URI: uri, Warm: true, Owner: core.Address{19: n}, Stake: core.LPTTokens(stake)}
}

func weighing(rule selectionweights.Rule, offers ...airouting.Offer) *airouting.Table {
	t := airouting.NewTable(airouting.Options{Rand: source(3), Name: "m", Rule: &rule})
	for _, o := range offers {
		t.Put(o)
	}
	return t
}

// shares serves jobs one after another and counts where they went.
func shares(t *testing.T, table *airouting.Table, jobs int, times map[string]time.Duration) map[string]float64 {
	t.Helper()
	now, seen := t0, map[string]float64{}
	for range jobs {
		l := pick(t, table, now, airouting.Query{})
		seen[l.URI()] += 1 / float64(jobs)
		now = now.Add(times[l.URI()])
		l.FirstByte(now)
		l.Done(now, airouting.Served)
	}
	return seen
}

func TestJobsAreWeighedByStake(t *testing.T) {
	t.Parallel()
	table := weighing(selectionweights.Rule{Weights: selectionweights.DefaultWeights()}, staked("a", 1, 300),
		staked("b", 2, 100))
	got := shares(t, table, 4000, nil)
	if want := 0.675; math.Abs(got["a"]-want) > 0.04 {
		t.Errorf("%v, want %v at a", got, want)
	}
}

func TestAWarmOneGoesBeforeStake(t *testing.T) {
	t.Parallel()
	rich := staked("rich", 1, 1e6)
	rich.Warm = false
	table := weighing(selectionweights.Rule{Weights: selectionweights.DefaultWeights()}, rich, staked("warm", 2, 1))
	if got := shares(t, table, 50, nil); got["rich"] != 0 {
		t.Errorf("%v: a model that has to be loaded first", got)
	}
}

func TestSlowOnesGetLess(t *testing.T) {
	t.Parallel()
	table := weighing(selectionweights.Rule{Weights: selectionweights.DefaultWeights()}, staked("quick", 1, 100),
		staked("slow", 2, 100))
	got := shares(t, table, 2000, map[string]time.Duration{"quick": 100 * ms, "slow": 400 * ms})
	if got["slow"] > 0.4 || got["slow"] < 0.02 {
		t.Errorf("%v: a slow one gets less, not nothing", got)
	}
}

func TestJobsInFlightSpread(t *testing.T) {
	t.Parallel()
	table := weighing(selectionweights.Rule{Weights: selectionweights.DefaultWeights()}, staked("a", 1, 100),
		staked("b", 2, 100), staked("c", 3, 100))
	inFlight := map[string]int{}
	for range 300 {
		inFlight[pick(t, table, t0, airouting.Query{}).URI()]++
	}
	for uri, n := range inFlight {
		if n < 80 || n > 120 {
			t.Errorf("%d of 300 jobs at %s", n, uri)
		}
	}
}

func TestFloorAndExpensiveOnes(t *testing.T) {
	t.Parallel()
	bad, expensive := staked("bad", 1, 100), staked("expensive", 2, 100)
	bad.Scored, bad.Score = true, 0.2
	expensive.Price = big.NewRat(10, 1)
	rule := selectionweights.Rule{Weights: selectionweights.DefaultWeights(), MinScore: 0.5}
	q := airouting.Query{MaxPrice: big.NewRat(5, 1)}
	if _, v := weighing(rule, bad).Pick(t0, q); v != airouting.Unfit {
		t.Errorf("below the floor: verdict %d", v)
	}
	if _, v := weighing(rule, expensive).Pick(t0, q); v != airouting.TooExpensive {
		t.Errorf("too expensive: verdict %d", v)
	}
	q.AllowExpensive = true
	if l := pick(t, weighing(rule, expensive), t0, q); l.URI() != "expensive" {
		t.Error("not taken although there is no other")
	}
	if l := pick(t, weighing(rule, expensive, staked("fair", 3, 0)), t0, q); l.URI() != "fair" {
		t.Error("an expensive one was taken although there is another")
	}
}
