package airouting_test

import (
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/airouting"
	"github.com/tuttinode/tutti/core/inference"
)

// of is a query for jobs of an operation.
func of(op inference.Operation) airouting.Query { return airouting.Query{Operation: op} }

// refuse has one orchestrator refuse a job of an operation.
func refuse(t *testing.T, table *airouting.Table, now time.Time, uri string, op inference.Operation) *airouting.Lease {
	t.Helper()
	for range 1000 {
		l := pick(t, table, now, of(op))
		if l.URI() == uri {
			l.Refused(now)
			l.Done(now, airouting.Refused)
			return l
		}
		l.Done(now, airouting.Abandoned)
	}
	t.Fatalf("%s was not picked", uri)
	return nil
}

// picks counts the jobs of an operation per orchestrator.
func picks(t *testing.T, table *airouting.Table, now time.Time, op inference.Operation) map[string]int {
	t.Helper()
	n := make(map[string]int)
	for range 200 {
		n[serve(t, table, now, of(op), ms)]++
		now = now.Add(ms)
	}
	return n
}

// One that refused what no other one refused comes after the others, for that operation, until
// it does such a job.
func TestARefuserComesLast(t *testing.T) {
	t.Parallel()
	table := tableOf(warm("a"), warm("b"))
	refuse(t, table, t0, "a", inference.Embedding)
	if n := picks(t, table, t0.Add(ms), inference.Embedding); n["a"] > 0 {
		t.Errorf("the refuser got %d of 200", n["a"])
	}
	if n := picks(t, table, t0.Add(300*ms), inference.Chat); n["a"] < 20 {
		t.Errorf("for chats it got %d of 200", n["a"])
	}
	now := t0.Add(10 * time.Second)
	l := leaseOf(t, table, now, "a", inference.Embedding)
	if !l.Unconfirmed() {
		t.Error("it is not doubted any more")
	}
	for range 20 { // while it is tried, others get the rest
		if o := pick(t, table, now, of(inference.Embedding)); o.URI() != "b" {
			t.Error("two at once are for one that may refuse them")
		} else {
			o.Done(now, airouting.Served)
		}
	}
	l.FirstByte(now)
	l.Done(now, airouting.Served)
	if n := picks(t, table, now, inference.Embedding); n["a"] < 20 {
		t.Errorf("after a good answer it got %d of 200", n["a"])
	}
}

// leaseOf leases one orchestrator.
func leaseOf(t *testing.T, table *airouting.Table, now time.Time, uri string, op inference.Operation) *airouting.Lease {
	t.Helper()
	for range 1000 {
		l := pick(t, table, now, of(op))
		if l.URI() == uri {
			return l
		}
		l.Done(now, airouting.Abandoned)
	}
	t.Fatalf("%s was not picked", uri)
	return nil
}

// A refusal that another orchestrator confirmed counts for nothing.
func TestAConfirmedRefusalIsNoRefusal(t *testing.T) {
	t.Parallel()
	table := tableOf(warm("a"), warm("b"))
	for range 50 {
		first := refuse(t, table, t0, "a", inference.Chat)
		second := refuse(t, table, t0, "b", inference.Chat)
		first.Confirmed()
		second.Confirmed()
	}
	if n := picks(t, table, t0, inference.Chat); n["a"] < 20 || n["b"] < 20 {
		t.Error(n)
	}
}

// While no other orchestrator has the model loaded and a free slot, a refuser goes on to get jobs: clients can
// bring refusals about. After a few in a row one that has to load it is tried.
func TestCandidatesBetterThanARefuser(t *testing.T) {
	t.Parallel()
	table := tableOf(warm("a"), cold("b"))
	for i := range 4 {
		l := pick(t, table, t0, of(inference.Chat))
		if want := []string{"a", "a", "a", "b"}[i]; l.URI() != want {
			t.Errorf("job %d is for %s", i, l.URI())
		}
		l.Refused(t0)
		l.Done(t0, airouting.Refused)
	}
	alone := tableOf(warm("a"))
	for range 100 {
		refuse(t, alone, t0, "a", inference.Chat)
	}
}

// A refusal is confirmed by those that can do so at once.
func TestASecondOpinion(t *testing.T) {
	t.Parallel()
	full, resting := warm("full"), warm("resting")
	full.Capacity = 1
	table := tableOf(warm("a"), cold("cold"), full, resting)
	second := airouting.Query{Operation: inference.Chat, SecondOpinion: true, Tried: []string{"a"}}
	pick(t, table, t0, airouting.Query{Tried: []string{"a", "cold", "resting"}})
	pick(t, table, t0, airouting.Query{Tried: []string{"a", "cold", "full"}}).Done(t0, airouting.Unreachable)
	if l, v := table.Pick(t0, second); l != nil || v != airouting.Tried {
		t.Errorf("%v %d", l, v)
	}
	table.Put(warm("b"))
	if l := pick(t, table, t0, second); l.URI() != "b" {
		t.Error(l.URI())
	}
}

// Under a new name an orchestrator keeps its record.
func TestARefuserUnderANewName(t *testing.T) {
	t.Parallel()
	offer := warm("a")
	offer.Asked = "address"
	table := tableOf(offer, warm("b"))
	refuse(t, table, t0, "a", inference.Chat)
	table.Remove("a")
	offer.URI = "c"
	table.Put(offer)
	if n := picks(t, table, t0, inference.Chat); n["c"] > 0 {
		t.Error(n)
	}
}
