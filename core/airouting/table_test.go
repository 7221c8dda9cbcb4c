package airouting_test

import (
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/airouting"
)

var t0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

const ms = time.Millisecond

func source(seed uint64) func() float64 { return rand.New(rand.NewPCG(seed, 1)).Float64 }

func tableOf(offers ...airouting.Offer) *airouting.Table {
	t := airouting.NewTable(airouting.Options{Rand: source(1), Memory: airouting.NewMemory(0), Name: "m"})
	for _, o := range offers {
		t.Put(o)
	}
	return t
}

func warm(uri string) airouting.Offer { return airouting.Offer{URI: uri, Warm: true, Capacity: 4} }
func cold(uri string) airouting.Offer { return airouting.Offer{URI: uri, Capacity: 4} }

func pick(t *testing.T, table *airouting.Table, now time.Time, q airouting.Query) *airouting.Lease {
	t.Helper()
	l, v := table.Pick(now, q)
	if l == nil {
		t.Fatalf("no orchestrator was picked: verdict %d", v)
	}
	return l
}

// serve takes one job through.
func serve(t *testing.T, table *airouting.Table, now time.Time, q airouting.Query, first time.Duration) string {
	t.Helper()
	l := pick(t, table, now, q)
	l.FirstByte(now.Add(first))
	l.Done(now.Add(first), airouting.Served)
	return l.URI()
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	expensive := airouting.Offer{URI: "expensive", Own: true, Warm: true, Price: big.NewRat(10, 1)}
	for name, row := range map[string]struct {
		table *airouting.Table
		q     airouting.Query
		want  airouting.Verdict
	}{
		"empty table":           {tableOf(), airouting.Query{}, airouting.Empty},
		"no own":                {tableOf(warm("a")), airouting.Query{Kind: airouting.OwnOnly}, airouting.Unfit},
		"own first, no own":     {tableOf(warm("a")), airouting.Query{Kind: airouting.OwnFirst}, airouting.Picked},
		"expensive":             {tableOf(expensive), airouting.Query{MaxPrice: big.NewRat(9, 1)}, airouting.TooExpensive},
		"just not expensive":    {tableOf(expensive), airouting.Query{MaxPrice: big.NewRat(10, 1)}, airouting.Picked},
		"free is not expensive": {tableOf(warm("a")), airouting.Query{MaxPrice: big.NewRat(1, 1<<40)}, airouting.Picked},
		"any price":             {tableOf(expensive), airouting.Query{}, airouting.Picked},
		"tried":                 {tableOf(warm("a")), airouting.Query{Tried: []string{"a"}}, airouting.Tried},
		"good":                  {tableOf(warm("a")), airouting.Query{}, airouting.Picked},
	} {
		if _, v := row.table.Pick(t0, row.q); v != row.want {
			t.Errorf("%s: verdict %d, want %d", name, v, row.want)
		}
	}
}

func TestOwnFirst(t *testing.T) {
	t.Parallel()
	own := cold("own")
	own.Own = true
	table := tableOf(warm("a"), warm("b"), own)
	if l := pick(t, table, t0, airouting.Query{Kind: airouting.OwnFirst}); l.URI() != "own" {
		t.Errorf("picked %s, want the one that takes the request as it is", l.URI())
	}
}

func TestLoadedModelsFirstThenFreeSlots(t *testing.T) {
	t.Parallel()
	table := tableOf(cold("cold"), warm("warm"))
	want := []string{"warm", "warm", "warm", "warm", "cold", "cold", "cold", "cold", "warm"}
	for i, uri := range want {
		if l := pick(t, table, t0, airouting.Query{}); l.URI() != uri {
			t.Fatalf("job %d went to %s, want %s", i, l.URI(), uri)
		}
	}
}

func TestWithoutCapacityThereIsAlwaysASlot(t *testing.T) {
	t.Parallel()
	table := tableOf(cold("cold"), airouting.Offer{URI: "warm", Warm: true})
	for range 100 {
		if l := pick(t, table, t0, airouting.Query{}); l.URI() != "warm" {
			t.Fatalf("went to %s", l.URI())
		}
	}
}

func TestFullOneIsLeftForAMoment(t *testing.T) {
	t.Parallel()
	table := tableOf(cold("cold"), warm("warm"))
	pick(t, table, t0, airouting.Query{}).Done(t0, airouting.Full)
	if got := serve(t, table, t0, airouting.Query{}, ms); got != "cold" {
		t.Errorf("went to %s although it was full", got)
	}
	if got := serve(t, table, t0.Add(300*ms), airouting.Query{}, ms); got != "warm" {
		t.Errorf("went to %s, want the loaded one again", got)
	}
	alone := tableOf(warm("a"))
	pick(t, alone, t0, airouting.Query{}).Done(t0, airouting.Full)
	pick(t, alone, t0, airouting.Query{}) // full is no reason not to ask at all
}

func TestDoneTwiceCountsOnce(t *testing.T) {
	t.Parallel()
	table := tableOf(warm("a"))
	l := pick(t, table, t0, airouting.Query{})
	l.Done(t0, airouting.Failed)
	l.Done(t0, airouting.Failed)
	l.FirstByte(t0)
	if s := table.Statuses(t0)[0]; s.InFlight != 0 || s.FirstByte != 0 {
		t.Errorf("%+v", s)
	}
}

func TestRemoveKeepsWhatIsInFlight(t *testing.T) {
	t.Parallel()
	table := tableOf(warm("a"), warm("b"))
	l := pick(t, table, t0, airouting.Query{Tried: []string{"b"}})
	table.Remove("a")
	if table.Len() != 1 {
		t.Errorf("%d in the choice", table.Len())
	}
	if _, v := table.Pick(t0, airouting.Query{Tried: []string{"b"}}); v != airouting.Tried {
		t.Errorf("verdict %d", v)
	}
	l.FirstByte(t0)
	l.Done(t0, airouting.Served)
	table.Put(warm("a"))
	if table.Len() != 2 {
		t.Errorf("%d in the choice", table.Len())
	}
}

func TestRestSurvivesRemoval(t *testing.T) {
	t.Parallel()
	table := tableOf(warm("a"))
	pick(t, table, t0, airouting.Query{}).Done(t0, airouting.Unreachable)
	table.Remove("a")
	table.Put(warm("a"))
	if table.HasHealthy(t0) {
		t.Error("a rest is not forgotten by leaving and coming back")
	}
}

func TestTableIsBounded(t *testing.T) {
	t.Parallel()
	table := tableOf()
	refused := false
	for i := range 5000 {
		refused = refused || !table.Put(warm(big.NewInt(int64(i)).String()))
	}
	if !refused || table.Len() > 2000 {
		t.Errorf("%d orchestrators were taken", table.Len())
	}
}
