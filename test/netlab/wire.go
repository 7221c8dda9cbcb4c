package netlab

import (
	"container/heap"
	"math/rand/v2"
	"net/netip"
	"os"
	"sync"
	"time"
)

// Link is the way between two hosts, both directions alike.
type Link struct {
	// Delay is one way's; a round trip takes twice as long.
	Delay time.Duration
	// Loss is the part of packets that get lost, 0 to 1.
	Loss float64
	// Cut lets nothing through.
	Cut bool
}

// pair names two hosts, the lower address first.
type pair [2]netip.Addr

func between(a, b netip.Addr) pair {
	if b.Less(a) {
		a, b = b, a
	}
	return pair{a, b}
}

// packet is on its way.
type packet struct {
	due  time.Time
	n    uint64
	to   netip.Addr
	data []byte
}

// queue is the packets under way, the next one first; those due at one time keep
// their order.
type queue []packet

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	if q[i].due.Equal(q[j].due) {
		return q[i].n < q[j].n
	}
	return q[i].due.Before(q[j].due)
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(packet)) }
func (q *queue) Pop() any {
	old := *q
	p := old[len(old)-1]
	*q = old[:len(old)-1]
	return p
}

// wire carries packets between the hosts.
type wire struct {
	mu    sync.Mutex
	links map[pair]Link
	ends  map[netip.Addr]*os.File
	under queue
	count uint64
	dice  *rand.Rand
	wake  chan struct{}
	done  chan struct{}
	gone  chan struct{}
}

func newWire() *wire {
	w := &wire{
		links: make(map[pair]Link), ends: make(map[netip.Addr]*os.File), dice: rand.New(rand.NewPCG(1, 2)),
		wake: make(chan struct{}, 1), done: make(chan struct{}), gone: make(chan struct{}),
	}
	go w.deliver()
	return w
}

// Link sets the way between two hosts; without one it is immediate and whole.
func (l *Lab) Link(a, b *Host, link Link) {
	l.wire.mu.Lock()
	defer l.wire.mu.Unlock()
	l.wire.links[between(a.Addr, b.Addr)] = link
}

// Isolate cuts a host off from all others, or joins it again with links as they were.
func (l *Lab) Isolate(h *Host, cut bool) {
	l.mu.Lock()
	var others []*Host
	for _, o := range l.hosts {
		if o != h {
			others = append(others, o)
		}
	}
	l.mu.Unlock()
	l.wire.mu.Lock()
	defer l.wire.mu.Unlock()
	for _, o := range others {
		key := between(h.Addr, o.Addr)
		link := l.wire.links[key]
		link.Cut = cut
		l.wire.links[key] = link
	}
}

func (w *wire) attach(a netip.Addr, end *os.File) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ends[a] = end
}

// read takes what a host sends until its device is closed.
func (w *wire) read(from netip.Addr, end *os.File) {
	buf := make([]byte, 64<<10)
	for {
		n, err := end.Read(buf)
		if err != nil {
			return
		}
		if n < 20 || buf[0]>>4 != 4 { // the kernel also talks IPv6 to itself
			continue
		}
		w.take(from, netip.AddrFrom4([4]byte(buf[16:20])), buf[:n])
	}
}

func (w *wire) take(from, to netip.Addr, data []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	link := w.links[between(from, to)]
	if link.Cut || w.ends[to] == nil || link.Loss > 0 && w.dice.Float64() < link.Loss {
		return
	}
	w.count++
	heap.Push(&w.under, packet{due: time.Now().Add(link.Delay), n: w.count, to: to, data: append([]byte(nil), data...)})
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// deliver hands packets over when they are due.
func (w *wire) deliver() {
	defer close(w.gone)
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		w.mu.Lock()
		now := time.Now()
		wait := time.Hour
		for len(w.under) > 0 {
			if wait = w.under[0].due.Sub(now); wait > 0 {
				break
			}
			p := heap.Pop(&w.under).(packet)
			// A device whose queue is full loses the packet, as a switch would.
			_, _ = w.ends[p.to].Write(p.data)
			wait = time.Hour
		}
		w.mu.Unlock()
		timer.Reset(wait)
		select {
		case <-w.done:
			return
		case <-w.wake:
		case <-timer.C:
		}
	}
}

func (w *wire) close() {
	close(w.done)
	<-w.gone
}
