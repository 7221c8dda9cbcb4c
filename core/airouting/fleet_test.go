package airouting_test

import (
	"container/heap"
	"fmt"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/airouting"
)

// event is something that happens in a simulated fleet.
type event struct {
	at time.Time
	do func()
}

type events []event

func (e events) Len() int           { return len(e) }
func (e events) Less(i, j int) bool { return e[i].at.Before(e[j].at) }
func (e events) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *events) Push(v any)        { *e = append(*e, v.(event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

// fleet plays jobs against orchestrators whose time to the first byte grows with
// their load.
type fleet struct {
	table  *airouting.Table
	now    time.Time
	events events
	nodes  map[string]node
	load   map[string]int
	served map[string]int
	asked  map[string]int
	lost   int
	// waits are the times to the first byte, tries that failed among them.
	waits []time.Duration
}

type node struct {
	// first is the time to the first byte per job in flight.
	first time.Duration
	// outcome is how a job ends at a time; nil serves it.
	outcome func(time.Time) airouting.Outcome
}

func newFleet(nodes map[string]node) *fleet {
	f := &fleet{table: tableOf(), now: t0, nodes: nodes, load: map[string]int{}, served: map[string]int{},
		asked: map[string]int{}}
	for i := range len(nodes) {
		f.table.Put(airouting.Offer{URI: name(i), Warm: true})
	}
	return f
}

func name(i int) string { return fmt.Sprintf("n%d", i) }

func (f *fleet) after(d time.Duration, do func()) { heap.Push(&f.events, event{f.now.Add(d), do}) }

// job is one attempt after another, at most three.
func (f *fleet) job(arrived time.Time, tried []string) {
	l, _ := f.table.Pick(f.now, airouting.Query{Tried: tried})
	if l == nil || len(tried) == 3 {
		if l != nil {
			l.Done(f.now, airouting.Abandoned)
		}
		f.lost++
		return
	}
	uri := l.URI()
	f.asked[uri]++
	n := f.nodes[uri]
	out := airouting.Served
	if n.outcome != nil {
		out = n.outcome(f.now)
	}
	if out != airouting.Served {
		f.after(ms, func() {
			l.Done(f.now, out)
			if out != airouting.Refused {
				f.job(arrived, append(tried, uri))
			}
		})
		return
	}
	f.load[uri]++
	f.after(n.first*time.Duration(f.load[uri]), func() {
		l.FirstByte(f.now)
		f.waits = append(f.waits, f.now.Sub(arrived))
		f.after(10*ms, func() {
			f.load[uri]--
			f.served[uri]++
			l.Done(f.now, airouting.Served)
		})
	})
}

// play lets n jobs arrive at equal distances.
func (f *fleet) play(n int, every time.Duration) {
	for i := range n {
		f.after(time.Duration(i)*every, func() { f.job(f.now, nil) })
	}
	for f.events.Len() > 0 {
		e := heap.Pop(&f.events).(event)
		f.now = e.at
		e.do()
	}
}

func same(n int, first time.Duration) map[string]node {
	nodes := map[string]node{}
	for i := range n {
		nodes[name(i)] = node{first: first}
	}
	return nodes
}

func TestFleetShares(t *testing.T) {
	t.Parallel()
	f := newFleet(same(8, 20*ms))
	f.play(8000, 5*ms)
	for uri := range f.nodes {
		if n := f.served[uri]; n < 700 || n > 1300 {
			t.Errorf("%s served %d of 8000, want about 1000", uri, n)
		}
	}
	if f.lost != 0 {
		t.Errorf("%d lost", f.lost)
	}
}

func TestFleetWithASlowOne(t *testing.T) {
	t.Parallel()
	nodes := same(4, 20*ms)
	nodes["n0"] = node{first: 400 * ms}
	f := newFleet(nodes)
	f.play(4000, 5*ms)
	if n := f.served["n0"]; n > 200 || n == 0 {
		t.Errorf("the slow one served %d of 4000, want few", n)
	}
}

func TestFleetFindsOutThatASlowOneIsWell(t *testing.T) {
	t.Parallel()
	nodes := same(2, 20*ms)
	f := newFleet(nodes)
	nodes["n0"] = node{first: 2 * time.Second}
	f.play(500, 40*ms)
	slow := f.served["n0"]
	nodes["n0"] = node{first: 20 * ms}
	f.play(4000, 40*ms)
	if n := f.served["n0"] - slow; n < 1000 {
		t.Errorf("it served %d of 4000 once it was well again", n)
	}
}

func TestFleetWithADeadOne(t *testing.T) {
	t.Parallel()
	nodes := same(4, 20*ms)
	nodes["n0"] = node{outcome: func(time.Time) airouting.Outcome { return airouting.Unreachable }}
	f := newFleet(nodes)
	f.play(20000, 5*ms) // 100 s
	if n := f.asked["n0"]; n > 10 {
		t.Errorf("the dead one was asked %d times in 100 s", n)
	}
	if f.lost != 0 {
		t.Errorf("%d lost", f.lost)
	}
}

func TestFleetWithAFlappingOne(t *testing.T) {
	t.Parallel()
	nodes := same(4, 20*ms)
	nodes["n0"] = node{first: 20 * ms, outcome: func(now time.Time) airouting.Outcome {
		if now.Unix()%6 < 3 {
			return airouting.Failed
		}
		return airouting.Served
	}}
	f := newFleet(nodes)
	f.play(20000, 5*ms)
	failed := f.asked["n0"] - f.served["n0"]
	if failed > 100 {
		t.Errorf("the flapping one failed %d jobs of 20000", failed)
	}
	if f.served["n0"] == 0 || f.lost != 0 {
		t.Errorf("it served %d, %d were lost", f.served["n0"], f.lost)
	}
}

func TestFleetInAStormOfBadRequests(t *testing.T) {
	t.Parallel()
	nodes := same(4, 20*ms)
	i := 0
	for uri := range nodes {
		nodes[uri] = node{first: 20 * ms, outcome: func(time.Time) airouting.Outcome {
			if i++; i%10 != 0 {
				return airouting.Refused
			}
			return airouting.Served
		}}
	}
	f := newFleet(nodes)
	f.play(10000, 5*ms)
	served := 0
	for _, n := range f.served {
		served += n
	}
	if served != 1000 || f.lost != 0 {
		t.Errorf("%d served and %d lost, want all 1000 good ones", served, f.lost)
	}
	for uri := range nodes {
		if n := f.asked[uri]; n < 1000 {
			t.Errorf("%s was asked %d times", uri, n)
		}
	}
}

func TestFleetFastFailuresDoNotAttract(t *testing.T) {
	t.Parallel()
	nodes := same(4, 100*ms)
	i := 0
	nodes["n0"] = node{first: 100 * ms, outcome: func(time.Time) airouting.Outcome {
		if i++; i%3 != 0 { // fails fast, never three times in a row
			return airouting.Failed
		}
		return airouting.Served
	}}
	f := newFleet(nodes)
	f.play(4000, 20*ms)
	if n := f.asked["n0"]; n > 2000 {
		t.Errorf("asked %d times of 4000", n)
	}
}
