package fairqueue_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core/fairqueue"
)

// model is the queue by its rules, with slices instead of lists.
type model struct {
	slots, queue int
	inUse        map[string]bool
	turns        []string
	waiting      map[string][]string
}

func (m *model) count() (n int) {
	for _, w := range m.waiting {
		n += len(w)
	}
	return n
}

func (m *model) come(party, job string) {
	if len(m.inUse) < m.slots && m.count() == 0 {
		m.inUse[job] = true
		return
	}
	if m.count() >= m.queue {
		longest := ""
		for _, p := range m.turns {
			if longest == "" || len(m.waiting[p]) > len(m.waiting[longest]) {
				longest = p
			}
		}
		if longest == "" || len(m.waiting[longest]) <= len(m.waiting[party])+1 {
			return
		}
		m.drop(longest, len(m.waiting[longest])-1)
	}
	if len(m.waiting[party]) == 0 {
		m.turns = append(m.turns, party)
	}
	m.waiting[party] = append(m.waiting[party], job)
}

func (m *model) drop(party string, i int) {
	w := m.waiting[party]
	m.waiting[party] = append(w[:i:i], w[i+1:]...)
	if len(m.waiting[party]) > 0 {
		return
	}
	for i, p := range m.turns {
		if p == party {
			m.turns = append(m.turns[:i:i], m.turns[i+1:]...)
			return
		}
	}
}

func (m *model) settle() {
	for len(m.inUse) < m.slots && len(m.turns) > 0 {
		p := m.turns[0]
		m.turns = append(m.turns[1:len(m.turns):len(m.turns)], p)
		m.inUse[m.waiting[p][0]] = true
		m.drop(p, 0)
	}
}

// TestQueueMatchesModel runs any sequence of events through the queue and the model
// and compares which callers have a slot and which wait.
func TestQueueMatchesModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		slots, queue := rapid.IntRange(0, 3).Draw(rt, "slots"), rapid.IntRange(0, 5).Draw(rt, "queue")
		events := rapid.SliceOfN(rapid.IntRange(0, 1000), 1, 40).Draw(rt, "events")
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			c, m := newCallers(slots, queue), &model{slots: slots, queue: queue, inUse: map[string]bool{},
				waiting: map[string][]string{}}
			cancels := map[string]context.CancelFunc{}
			for i, e := range events {
				step(ctx, c, m, cancels, i, e)
				compare(rt, c, m)
			}
			cancel()
			synctest.Wait()
			for job := range c.releases {
				c.finish(job)
			}
			if s := c.l.Stats(); s.InUse != 0 || s.Waiting != 0 {
				rt.Fatalf("in the end %+v", s)
			}
		})
	})
}

func step(ctx context.Context, c *callers, m *model, cancels map[string]context.CancelFunc, i, e int) {
	switch kind := e % 10; {
	case kind < 5:
		party, job := fmt.Sprint("party", e/10%3), fmt.Sprint("job", i)
		sub, cancel := context.WithCancel(ctx)
		cancels[job] = cancel
		m.come(party, job)
		c.arrive(sub, party, job)
	case kind < 8:
		for job := range m.inUse { // any of them
			delete(m.inUse, job)
			m.settle()
			c.finish(job)
			break
		}
	case kind == 8:
		for party, jobs := range m.waiting {
			if len(jobs) > 0 {
				job := jobs[e/10%len(jobs)]
				m.drop(party, e/10%len(jobs))
				cancels[job]()
				synctest.Wait()
				break
			}
		}
	default:
		m.slots = e / 10 % 4
		m.settle()
		c.l.Resize(m.slots)
		synctest.Wait()
	}
}

func compare(rt *rapid.T, c *callers, m *model) {
	s := c.l.Stats()
	if s.Slots != m.slots || s.InUse != len(m.inUse) || s.Waiting != m.count() {
		rt.Fatalf("line %+v, model %+v", s, m)
	}
	for job := range m.inUse {
		if c.releases[job] == nil {
			rt.Fatalf("%s has no slot: %+v", job, m)
		}
	}
}

// TestHammer counts how many are inside at once while parties come, give up and
// the queue changes its size.
func TestHammer(t *testing.T) {
	t.Parallel()
	const maxSlots = 4
	l := fairqueue.New(fairqueue.Options{Slots: maxSlots, MaxWaiting: 16})
	var inside, over, got atomic.Int64
	var wg sync.WaitGroup
	for p := range 8 {
		wg.Go(func() {
			for i := range 500 {
				ctx, cancel := context.WithCancel(t.Context())
				if rand.IntN(4) == 0 {
					go cancel()
				}
				release, err := l.Acquire(ctx, fmt.Sprint(p))
				if err == nil {
					got.Add(1)
					if inside.Add(1) > maxSlots {
						over.Add(1)
					}
					inside.Add(-1)
					release()
				}
				if i%50 == 0 {
					l.Resize(1 + rand.IntN(maxSlots))
				}
				cancel()
			}
		})
	}
	wg.Wait()
	if s := l.Stats(); over.Load() != 0 || got.Load() == 0 || s.InUse != 0 || s.Waiting != 0 {
		t.Errorf("%d times too many, %d served, in the end %+v", over.Load(), got.Load(), s)
	}
}

// TestNobodyStarves: whatever the others do, a party that waits is served after
// at most one job of each other party.
func TestNoPartyStarves(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		others := rapid.IntRange(1, 5).Draw(rt, "others")
		each := rapid.IntRange(1, 6).Draw(rt, "each")
		synctest.Test(t, func(t *testing.T) {
			c := newCallers(0, 64)
			for p := range others {
				for j := range each {
					c.arrive(t.Context(), fmt.Sprint(p), fmt.Sprintf("%d-%d", p, j))
				}
			}
			c.arrive(t.Context(), "mine", "mine")
			c.l.Resize(1)
			synctest.Wait()
			for n := 0; len(c.served) > n; n++ {
				c.finish(c.served[n])
			}
			if len(c.served) != others*each+1 {
				rt.Fatalf("served %q", c.served)
			}
			for i, job := range c.served {
				if job == "mine" && i > others {
					rt.Fatalf("mine was number %d among %d parties: %q", i, others+1, c.served)
				}
			}
		})
	})
}

func BenchmarkAcquire(b *testing.B) {
	l := fairqueue.New(fairqueue.Options{Slots: 1, MaxWaiting: 1})
	b.ReportAllocs()
	for b.Loop() {
		release, err := l.Acquire(b.Context(), "a")
		if err != nil {
			b.Fatal(err)
		}
		release()
	}
}
