package chain

import (
	linked "container/list"
	"slices"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// Anybody can name any address, so what naming them costs is bounded: a reading is
// for up to askedAtOnce addresses, of maxAsked that wait; there are firstReads of
// them at once, and then one every readEvery; and who had nothing is not asked about
// again for poorFor. The peers that ask take turns, and the one of which most wait makes
// room: a peer that names thousands of addresses, without a pause, delays no other. Of one
// peer's the last is read first, and a question that is asked again is as good as a new one.
const (
	askedAtOnce = 100
	maxAsked    = 2000
	firstReads  = 20
	readEvery   = 3 * time.Second
	poorFor     = 15 * time.Second
	maxPoor     = 4096
)

// newcomers are the addresses that somebody asks about for the first time. It is
// guarded by senders.mu.
type newcomers struct {
	// asked are waiting for their reading or being read. lines are those that wait by the peer
	// that asked, who was asked about last first; waiting is how many there are, and turns are
	// the peers, the next one first.
	asked   map[core.Address]*asked
	lines   map[string]*linked.List
	turns   []string
	waiting int
	// poor had no funds when they were read; it says until when that is believed.
	poor map[core.Address]time.Time
	// wake has them read; it holds at most one.
	wake chan struct{}
	// credit is how many readings may be done at once, as of since.
	credit int
	since  time.Time
}

// asked is one address's first reading.
type asked struct {
	done  chan struct{}
	funds protocol.SenderFunds
	err   error
	// moved: a log spoke of it while it was read.
	moved bool
	// place is where it waits, in the line of peer; nil once it is being read.
	place *linked.Element
	peer  string
}

func newNewcomers() newcomers {
	return newcomers{
		asked: make(map[core.Address]*asked), lines: make(map[string]*linked.List), poor: make(map[core.Address]time.Time),
		wake: make(chan struct{}, 1), credit: firstReads,
	}
}

func (n *newcomers) mark(who core.Address) {
	delete(n.poor, who)
	if a := n.asked[who]; a != nil {
		a.moved = true
	}
}

func (n *newcomers) markAll() {
	for _, a := range n.asked {
		a.moved = true
	}
}

// ask finds or begins the first reading of an address for a peer; done is nil when nothing is
// to be waited for: then the address has no funds.
func (s *senders) ask(who core.Address, peer string, now time.Time) *asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := &s.news
	if until, ok := n.poor[who]; ok && now.Before(until) {
		return &asked{}
	}
	if a := n.asked[who]; a != nil {
		// Others may ask about a gateway as well, and have it wait no longer.
		if line := n.lines[peer]; a.place != nil && (a.peer == peer || line == nil || line.Len() < n.lines[a.peer].Len()) {
			n.leave(a)
			n.enter(who, a, peer)
		}
		return a
	}
	if n.waiting >= maxAsked {
		n.turnAway()
	}
	a := &asked{done: make(chan struct{})}
	n.enter(who, a, peer)
	n.asked[who] = a
	select {
	case n.wake <- struct{}{}:
	default:
	}
	return a
}

// enter has an address wait at the front of a peer's line.
func (n *newcomers) enter(who core.Address, a *asked, peer string) {
	line := n.lines[peer]
	if line == nil {
		line = linked.New()
		n.lines[peer], n.turns = line, append(n.turns, peer)
	}
	a.place, a.peer = line.PushFront(who), peer
	n.waiting++
}

// leave takes an address out of its line.
func (n *newcomers) leave(a *asked) core.Address {
	line := n.lines[a.peer]
	who := line.Remove(a.place).(core.Address)
	a.place = nil
	n.waiting--
	if line.Len() == 0 {
		delete(n.lines, a.peer)
		n.turns = slices.DeleteFunc(n.turns, func(p string) bool { return p == a.peer })
	}
	return who
}

// next takes the first address of the peer whose turn it is.
func (n *newcomers) next() core.Address {
	peer := n.turns[0]
	n.turns = append(n.turns[1:], peer)
	return n.leave(n.asked[n.lines[peer].Front().Value.(core.Address)])
}

// turnAway answers the one that waits longest, of the peer with most, that there were too many.
func (n *newcomers) turnAway() {
	var longest *linked.List
	for _, line := range n.lines {
		if longest == nil || line.Len() > longest.Len() {
			longest = line
		}
	}
	a := n.asked[longest.Back().Value.(core.Address)]
	delete(n.asked, n.leave(a))
	a.err = fault.New(fault.SendersUnread, "read a sender's funds", "")
	close(a.done)
}

// batch takes the addresses to read next. It is empty, with how long to wait, when
// there are none, or when there were too many readings.
func (s *senders) batch(now time.Time) (who []core.Address, wait time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := &s.news
	if n.waiting == 0 {
		return nil, 0
	}
	if more := int(now.Sub(n.since) / readEvery); more > 0 {
		n.credit, n.since = min(firstReads, n.credit+more), now
	}
	if n.credit == 0 {
		return nil, n.since.Add(readEvery).Sub(now)
	}
	n.credit--
	for len(who) < askedAtOnce && n.waiting > 0 {
		who = append(who, n.next())
	}
	return who, 0
}

// answer gives the readings to who waits for them. Who has funds is watched from
// now on.
func (s *senders) answer(who []core.Address, funds []protocol.SenderFunds, err error, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, one := range who {
		a := s.news.asked[one]
		delete(s.news.asked, one)
		if a.err = err; err == nil {
			a.funds = funds[i]
			s.keep(one, a, now)
		}
		close(a.done)
	}
}

// keep remembers a first reading. The caller holds mu.
func (s *senders) keep(who core.Address, a *asked, now time.Time) {
	if sameFunds(a.funds, protocol.SenderFunds{}) {
		if !a.moved {
			s.remember(who, now)
		}
		return
	}
	if s.all[who] == nil {
		s.add(who, &sender{funds: a.funds, known: true, dirty: a.moved, loose: true})
	}
}

// remember that an address has nothing. The caller holds mu.
func (s *senders) remember(who core.Address, now time.Time) {
	n := &s.news
	if len(n.poor) >= maxPoor {
		for other, until := range n.poor {
			if !now.Before(until) {
				delete(n.poor, other)
			}
		}
	}
	if len(n.poor) < maxPoor {
		n.poor[who] = now.Add(poorFor)
	}
}
