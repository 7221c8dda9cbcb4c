package orchestrate_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/test/coretest"
)

func at(session string, n int) orchestrate.Path {
	return orchestrate.Path{Session: core.SessionID(session), Dir: "p", Number: core.SegmentNumber(n)}
}

func put(t *testing.T, r *orchestrate.Results, p orchestrate.Path, size int) {
	t.Helper()
	if err := tryPut(r, p, size); err != nil {
		t.Fatal(err)
	}
}

func tryPut(r *orchestrate.Results, p orchestrate.Path, size int) error {
	return r.Put("gateway", []orchestrate.Path{p}, []orchestrate.Result{{Data: make([]byte, size)}})
}

func has(r *orchestrate.Results, p orchestrate.Path) bool { _, ok := r.Get(p); return ok }

func TestResultsKeepTwelvePerProfile(t *testing.T) {
	t.Parallel()
	r := orchestrate.NewResults(1<<20, coretest.NewClock(time.Unix(1_700_000_000, 0)).Now)
	for i := range 20 {
		put(t, r, at("00000001", i), 10)
		put(t, r, at("00000002", i), 10)
	}
	for i := range 20 {
		if got, want := has(r, at("00000001", i)), i >= 8; got != want {
			t.Errorf("segment %d kept: %v", i, got)
		}
	}
	if got := r.Bytes(); got != 240 {
		t.Errorf("%d bytes, want 240", got)
	}
}

func TestResultsReplaceTheSamePath(t *testing.T) {
	t.Parallel()
	r := orchestrate.NewResults(100, coretest.NewClock(time.Unix(1_700_000_000, 0)).Now)
	put(t, r, at("00000001", 1), 80)
	put(t, r, at("00000001", 1), 90)
	if got, _ := r.Get(at("00000001", 1)); len(got.Data) != 90 || r.Bytes() != 90 {
		t.Errorf("%d bytes in the rendition, %d in all", len(got.Data), r.Bytes())
	}
}

func TestResultsAreEvicted(t *testing.T) {
	t.Parallel()
	clk := coretest.NewClock(time.Unix(1_700_000_000, 0))
	r := orchestrate.NewResults(100, clk.Now)
	put(t, r, at("00000001", 1), 40)
	put(t, r, at("00000001", 2), 40)

	// Nothing may be evicted: both are young and unfetched.
	wantCode(t, tryPut(r, at("00000001", 3), 40), fault.ResultsFull)
	// What was fetched goes first, also when it is not the oldest.
	if !has(r, at("00000001", 2)) {
		t.Fatal("gone")
	}
	put(t, r, at("00000001", 3), 40)
	if has(r, at("00000001", 2)) {
		t.Error("the fetched one is still there")
	}
	// After their time everything goes, oldest first.
	clk.Forward(4 * time.Second)
	put(t, r, at("00000001", 4), 40)
	if has(r, at("00000001", 1)) || !has(r, at("00000001", 3)) {
		t.Error("not the oldest went")
	}
	// What cannot fit at all drives nothing out.
	clk.Forward(time.Minute)
	wantCode(t, tryPut(r, at("00000001", 5), 101), fault.ResultsFull)
	if !has(r, at("00000001", 3)) || !has(r, at("00000001", 4)) {
		t.Error("something went for nothing")
	}
}

// One party that fetches nothing does not keep the renditions of others out, however much
// it has made; what is young of theirs stays.
func TestOnePartyDoesNotFillTheResults(t *testing.T) {
	t.Parallel()
	r := orchestrate.NewResults(100, coretest.NewClock(time.Unix(1_700_000_000, 0)).Now)
	keep := func(party string, n, size int) error {
		return r.Put(party, []orchestrate.Path{at("00000001", n)}, []orchestrate.Result{{Data: make([]byte, size)}})
	}
	for n := range 5 {
		if err := keep("greedy", n, 20); err != nil {
			t.Fatal(err)
		}
	}
	wantCode(t, keep("greedy", 5, 20), fault.ResultsFull)
	for n := range 2 {
		if !r.Fits("gateway", 20) {
			t.Errorf("no room for segment %d of another", n)
		}
		if err := keep("gateway", 10+n, 20); err != nil {
			t.Errorf("segment %d of another: %v", n, err)
		}
	}
	wantCode(t, keep("gateway", 12, 40), fault.ResultsFull)
	if err := keep("third", 20, 20); err != nil {
		t.Errorf("a third: %v", err)
	}
	if !has(r, at("00000001", 10)) || !has(r, at("00000001", 11)) || !has(r, at("00000001", 4)) {
		t.Error("others than the greediest, or its last, had to go")
	}
}

func TestResultsOutliveTheirSessionForAGrace(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	tok := n.token()
	n.send(tok)
	p := orchestrate.Path{Session: tok.Session, Dir: ladder[0].Name, Number: 7}
	if err := n.EndSession(tok); err != nil {
		t.Fatal(err)
	}
	n.clk.Forward(9 * time.Second)
	n.Sweep(n.clk.Now())
	if _, err := n.Result(p); err != nil {
		t.Errorf("gone within the grace time: %v", err)
	}
	n.clk.Forward(time.Second)
	n.Sweep(n.clk.Now())
	_, err := n.Result(p)
	wantCode(t, err, fault.ResultNotFound)
	if got := fault.Wire(err); got != "ErrNotFound" {
		t.Errorf("gateways get %q", got)
	}
}

func TestResultsOfARevivedSessionStay(t *testing.T) {
	t.Parallel()
	clk := coretest.NewClock(time.Unix(1_700_000_000, 0))
	r := orchestrate.NewResults(1<<20, clk.Now)
	put(t, r, at("00000001", 1), 10)
	r.End("00000001")
	put(t, r, at("00000001", 2), 10)
	clk.Forward(time.Hour)
	r.Sweep(clk.Now())
	if !has(r, at("00000001", 1)) || !has(r, at("00000001", 2)) {
		t.Error("renditions of a living session went")
	}
}

func TestSignatureOnlyWhereThereIsOne(t *testing.T) {
	t.Parallel()
	r := orchestrate.NewResults(1<<20, coretest.NewClock(time.Unix(1_700_000_000, 0)).Now)
	for i, sig := range [][]byte{nil, []byte("mpeg7")} {
		p := at("00000001", i)
		if err := r.Put("gateway", []orchestrate.Path{p},
			[]orchestrate.Result{{Data: []byte("d"), Signature: sig}}); err != nil {
			t.Fatal(err)
		}
		p.Signature = true
		if got := has(r, p); got != (sig != nil) {
			t.Errorf("signature %q found: %v", sig, got)
		}
	}
}

func TestAwaitFetched(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := orchestrate.NewResults(1<<20, time.Now)
		put(t, r, at("00000001", 0), 10)
		pass(5 * time.Second) // too old to be waited for
		for i := 1; i < 4; i++ {
			put(t, r, at("00000001", i), 10)
		}
		done := make(chan error, 1)
		go func() { done <- r.AwaitFetched(t.Context()) }()
		for i := 3; i > 0; i-- {
			synctest.Wait()
			select {
			case err := <-done:
				t.Fatalf("returned with %d to fetch: %v", i, err)
			default:
			}
			has(r, at("00000001", i))
		}
		if err := <-done; err != nil {
			t.Error(err)
		}

		put(t, r, at("00000001", 9), 10)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := r.AwaitFetched(ctx); err == nil {
			t.Error("returned without a fetch")
		}
	})
}

// BenchmarkPut is what keeping three renditions costs in a busy store.
func BenchmarkPut(b *testing.B) {
	r := orchestrate.NewResults(1<<40, time.Now)
	data := make([]byte, 500_000)
	n := 0
	for b.Loop() {
		n++
		var paths []orchestrate.Path
		var results []orchestrate.Result
		for _, dir := range []string{"a", "b", "c"} {
			paths = append(paths, orchestrate.Path{Session: core.SessionID(fmt.Sprintf("%08x", n%100)), Dir: dir,
				Number: core.SegmentNumber(n)})
			results = append(results, orchestrate.Result{Data: data})
		}
		if err := r.Put("gateway", paths, results); err != nil {
			b.Fatal(err)
		}
	}
}
