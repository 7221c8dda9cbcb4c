package scale_test

import (
	priority "container/heap"
	"math/rand/v2"
	"slices"
	"time"
)

// plant is what jobs go through: orchestrators, each with cores and a book, and where the books are kept. Its clock is
// virtual.
//
// A job takes a core, then its entry waits for the book. A book has one writer: it takes all entries that wait, at most
// a group, and the next group waits for its commit.
type plant struct {
	orchestrators, cores int
	// work is the mean CPU time of a job; each is drawn.
	work time.Duration
	// group is the most entries of a commit. A commit takes fixed, and each for every entry.
	group       int
	fixed, each time.Duration
	// databaseCores is how many commits a shared database works on at once, 0 where each book is a file.
	databaseCores int
	// away is the round trip from the i-th orchestrator to its books.
	away func(i int) time.Duration
}

// outcome is how jobs fared in a plant.
type outcome struct {
	// p50 and p99 are of the time from a job's arrival until its entry is in the book.
	p50, p99 time.Duration
	// cpu, writers and database are the used parts of the orchestrators' cores, of what the books' writers carry when
	// each group is full, and of the shared database's cores.
	cpu, writers, database float64
}

// most is the part of what is used most.
func (o outcome) most() float64 { return max(o.cpu, o.writers, o.database) }

type kind int

const (
	worked  kind = iota // a job has had its core
	sent                // a group has reached the database
	written             // a group's commit was answered
)

type event struct {
	at   time.Duration
	seq  int
	kind kind
	node int
	// arrived is when the job of worked came.
	arrived time.Duration
}

// agenda is the events to come, earliest first; those of one time in the order in which they were made.
type agenda []event

func (a agenda) Len() int { return len(a) }
func (a agenda) Less(i, j int) bool {
	return a[i].at < a[j].at || a[i].at == a[j].at && a[i].seq < a[j].seq
}
func (a agenda) Swap(i, j int) { a[i], a[j] = a[j], a[i] }
func (a *agenda) Push(x any)   { *a = append(*a, x.(event)) }
func (a *agenda) Pop() any {
	old := *a
	last := old[len(old)-1]
	*a = old[:len(old)-1]
	return last
}

// servers are when each of several becomes free; the one that is free first is taken.
type servers []time.Duration

// take returns when work that comes at a time is done.
func (s servers) take(at, work time.Duration) time.Duration {
	i := 0
	for k := range s {
		if s[k] < s[i] {
			i = k
		}
	}
	s[i] = max(s[i], at) + work
	return s[i]
}

// book is an orchestrator's.
type book struct {
	cores servers
	// waiting and inCommit are when the jobs of the entries came.
	waiting, inCommit []time.Duration
}

// run lets so many jobs arrive by chance, so many a second on average.
func (p *plant) run(perSecond float64, jobs int) outcome {
	r := &plantRun{plant: p, database: make(servers, p.databaseCores), books: make([]book, p.orchestrators)}
	for i := range r.books {
		r.books[i].cores = make(servers, p.cores)
	}
	random := rand.New(rand.NewPCG(1, 2))
	var at time.Duration
	for range jobs {
		at += time.Duration(random.ExpFloat64() / perSecond * float64(time.Second))
		work := time.Duration(random.ExpFloat64() * float64(p.work))
		node := random.IntN(p.orchestrators)
		r.until(at)
		r.busyCores += work
		r.add(event{at: r.books[node].cores.take(at, work), kind: worked, node: node, arrived: at})
	}
	r.until(1 << 62)
	slices.Sort(r.took)
	// What the last jobs still need after all have come counts as well: it is work for that time.
	part := func(busy time.Duration, of int) float64 { return busy.Seconds() / at.Seconds() / float64(of) }
	return outcome{
		p50: r.took[len(r.took)/2], p99: r.took[len(r.took)*99/100],
		cpu: part(r.busyCores, p.orchestrators*p.cores), writers: part(r.busyWriters, p.orchestrators),
		database: part(r.busyDatabase, max(1, p.databaseCores)),
	}
}

// plantRun is one run of a plant.
type plantRun struct {
	*plant
	agenda                               agenda
	seq                                  int
	now                                  time.Duration
	database                             servers
	books                                []book
	took                                 []time.Duration
	busyCores, busyWriters, busyDatabase time.Duration
}

func (r *plantRun) add(e event) {
	e.seq = r.seq
	r.seq++
	priority.Push(&r.agenda, e)
}

// until lets happen what happens up to a time.
func (r *plantRun) until(at time.Duration) {
	for len(r.agenda) > 0 && r.agenda[0].at <= at {
		e := priority.Pop(&r.agenda).(event)
		r.now = e.at
		b := &r.books[e.node]
		switch e.kind {
		case worked:
			b.waiting = append(b.waiting, e.arrived)
			r.commit(e.node)
		case sent:
			work := time.Duration(len(b.inCommit)) * r.each
			r.busyDatabase += work
			r.add(event{at: r.database.take(e.at, work) + r.fixed + r.away(e.node)/2, kind: written, node: e.node})
		case written:
			for _, arrived := range b.inCommit {
				r.took = append(r.took, e.at-arrived)
			}
			b.inCommit = nil
			r.commit(e.node)
		}
	}
}

// commit begins a commit if the writer is free and entries wait.
func (r *plantRun) commit(node int) {
	b := &r.books[node]
	if b.inCommit != nil || len(b.waiting) == 0 {
		return
	}
	n := min(len(b.waiting), r.group)
	b.inCommit, b.waiting = b.waiting[:n:n], b.waiting[n:]
	empty := r.fixed + r.away(node)
	r.busyWriters += time.Duration(n) * (r.each + empty/time.Duration(r.group))
	if r.databaseCores > 0 {
		r.add(event{at: r.now + r.away(node)/2, kind: sent, node: node})
		return
	}
	r.add(event{at: r.now + r.fixed + time.Duration(n)*r.each, kind: written, node: node})
}

// bears is the greatest rate at which p99 and what is used most are not above their bounds, within 2 %, and how jobs
// fare then.
func (p *plant) bears(longest time.Duration, used float64, jobs int) (float64, outcome) {
	within := func(rate float64) bool {
		o := p.run(rate, jobs)
		return o.p99 <= longest && o.most() <= used
	}
	low, high := 1.0, 8.0
	for within(high) {
		low, high = high, 8*high
	}
	for high/low > 1.02 {
		if mid := (low + high) / 2; within(mid) {
			low = mid
		} else {
			high = mid
		}
	}
	return low, p.run(low, jobs)
}
