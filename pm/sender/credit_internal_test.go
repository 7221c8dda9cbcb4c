package sender

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
)

// honest is a gateway with one orchestrator of the existing network, which keeps a balance
// for each session and wants one ticket's worth there before each job.
type honest struct {
	*credit
	now   time.Time
	limit pm.Value
	dice  *rand.Rand
	// ev, estimate and bill are in gwei.
	ev, estimate, bill int64
	mirror             map[string]int64 // in gwei
	streams            int
	// failing is one job in so many that fails after the payment, 0 for none.
	failing int
}

func newHonest(ev, estimate, bill int64, streams int) *honest {
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	return &honest{credit: newCredit(now), now: now, limit: gwei(20_000), dice: rand.New(rand.NewPCG(1, 2)),
		ev: ev, estimate: estimate, bill: bill, mirror: map[string]int64{}, streams: streams}
}

// round has each stream send a segment, all at once. session names a stream's session.
// It returns how many had to wait for others, which then had their turn.
func (h *honest) round(t *testing.T, session func(stream int) string) (waited int) {
	t.Helper()
	h.advance(h.now)
	var todo []int
	for i := range h.streams {
		todo = append(todo, i)
	}
	for try := 0; len(todo) > 0; try++ {
		var done, later []int
		paid := map[int]int64{}
		for _, i := range todo {
			need := max(h.estimate, h.ev)
			tickets := max(0, need-h.mirror[session(i)]+h.ev-1) / h.ev
			switch code := h.pay(tickets*h.ev, fmt.Sprint("stream ", i)); code {
			case "":
				paid[i] = tickets * h.ev
				done = append(done, i)
			case fault.CreditInUse:
				later = append(later, i)
			default:
				t.Fatalf("%v after the start: %s, it holds %s of %s", h.now, code, h.held(), h.bound(h.limit))
			}
		}
		if len(done) == 0 {
			t.Fatalf("nothing moves: it holds %s of %s", h.held(), h.bound(h.limit))
		}
		for _, i := range done {
			h.finish(session(i), fmt.Sprint("stream ", i), paid[i])
		}
		waited += len(later)
		todo = later
	}
	return waited
}

func (h *honest) pay(amount int64, stream string) fault.Code {
	if amount == 0 {
		return ""
	}
	j := h.job(amount, stream)
	code, _ := h.admit(j.amount, h.limit, j.client)
	if code == "" {
		h.begin(j)
	}
	return code
}

// job is one of a stream, which is a client of its own.
func (h *honest) job(paid int64, stream string) job {
	return job{amount: gwei(paid), estimate: gwei(h.estimate), client: h.share(stream), start: stream}
}

func (h *honest) finish(session, stream string, paid int64) {
	if h.failing > 0 && h.dice.IntN(h.failing) == 0 {
		h.mirror[session] = 0
		h.receive(h.job(paid, stream), pm.Value{}, h.now)
		return
	}
	h.mirror[session] += paid - h.bill
	h.receive(h.job(paid, stream), gwei(h.bill), h.now)
}

// TestHonestOrchestratorsAreNotStopped has gateways of several kinds pay an orchestrator
// that works: with a ticket ahead in each session, sessions that end every 7
// minutes, estimates three times the bill, failures, and a restart that loses all balances.
func TestHonestOrchestratorsAreNotStopped(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		ev, estimate, bill int64
		streams            int
		failing            int
	}{
		"one stream":            {8, 68, 67, 1, 0},
		"a hundred":             {8, 134, 67, 100, 0},
		"a hundred with faults": {8, 200, 67, 100, 100},
		"two hundred, cheap":    {8, 5, 2, 200, 50},
		"large ladders":         {8, 780, 260, 100, 100},
		"larger tickets":        {100, 68, 67, 100, 100},
		"large jobs":            {8, 8000, 8000, 16, 100},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHonest(row.ev, row.estimate, row.bill, row.streams)
			h.failing = row.failing
			const every, long = 2 * time.Second, 20 * time.Minute
			life := 0
			for at := time.Duration(0); at < long; at += every {
				h.now = h.now.Add(every)
				waited := h.round(t, func(i int) string { return fmt.Sprint(life, i, int(at/(7*time.Minute))) })
				if waited > 0 && at > time.Minute {
					t.Fatalf("%v after the start %d streams wait for others", at, waited)
				}
				if at == 10*time.Minute { // the orchestrator restarts
					life++
				}
			}
		})
	}
}

// TestManyShortStreams are clips of one segment each, a hundred a minute, for
// which more is paid than they use.
func TestManyShortStreams(t *testing.T) {
	t.Parallel()
	h := newHonest(8, 3, 2, 1)
	for i := range 5_000 {
		h.now = h.now.Add(600 * time.Millisecond)
		h.advance(h.now)
		if code := h.pay(8, fmt.Sprint("stream ", i)); code != "" {
			t.Fatalf("clip %d: %s", i, code)
		}
		h.finish(fmt.Sprint(i), fmt.Sprint("stream ", i), 8)
	}
}

// TestPaidIsBounded has orchestrators do as they like, and holds what they are paid
// against their work: at no time is it more than the work and a sixteenth, what streams may
// leave, half of it forgiven each hour, the bound, and as much as the recent work.
func TestPaidIsBounded(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		dice := rand.New(rand.NewPCG(seed, 3))
		h := newHonest(8, 1, 1, 1)
		kind := dice.IntN(4)
		var paid, excused int64 // in gwei
		for step := range 2000 {
			h.now = h.now.Add(time.Duration(dice.IntN(1500)) * time.Millisecond)
			before := h.unworked()
			h.advance(h.now)
			excused += divide(before.Sub(h.unworked()), 1e9).Floor().Int64() + 1
			amount := int64(8 + dice.IntN(3000))
			stream := fmt.Sprint(dice.IntN(5))
			if h.pay(amount, stream) != "" {
				continue
			}
			paid += amount
			work := int64(0)
			if kind == 0 || kind == 1 && step%2 == 0 || kind == 2 && step < 1000 {
				work = int64(dice.IntN(100))
			}
			known := h.starts[stream]
			h.receive(h.job(amount, stream), gwei(work), h.now)
			excused += work*17/16 + 1
			if h.starts[stream] != known {
				excused += 3*work + startGwei
			}
			if most := gwei(excused).Add(h.bound(h.limit)); gwei(paid).Cmp(most) > 0 {
				t.Fatalf("seed %d, step %d: paid %d gwei, at most %s", seed, step, paid, most)
			}
		}
		if kind == 3 && paid > 20_000+10_000 {
			t.Errorf("seed %d: paid %d gwei for nothing", seed, paid)
		}
	}
}

// TestClientsThatLeaveAreExcused as far as it works for others: who has most of its clients
// leave is stopped, and what it may hold does not grow with them.
func TestClientsThatLeaveAreExcused(t *testing.T) {
	t.Parallel()
	for left, stopped := range map[int]bool{10: true, 7: true, 3: false, 1: false} {
		h := newHonest(100, 100, 100, 1)
		was := false
		for n := range 5000 {
			h.now = h.now.Add(time.Second)
			h.advance(h.now)
			if code := h.pay(100, "stream"); code != "" {
				was = true
				continue
			}
			if n%10 < left {
				h.excuse(h.job(100, "stream"), pm.Value{}, gwei(100), h.now)
			} else {
				h.receive(h.job(100, "stream"), gwei(100), h.now)
			}
		}
		if was != stopped {
			t.Errorf("%d of ten left: stopped is %v, want %v", left, was, stopped)
		}
	}
}

// TestWorkIsForgottenWhateverTheClockDid: a clock that was ahead for a while must not have
// all work count as recent forever.
func TestWorkIsForgottenWhateverTheClockDid(t *testing.T) {
	t.Parallel()
	h := newHonest(100, 100, 100, 1)
	right := h.now
	h.advance(right.Add(10 * 365 * 24 * time.Hour))
	for n := range 3600 {
		h.now = right.Add(time.Duration(n) * time.Second)
		h.advance(h.now)
		h.receive(h.job(0, "stream"), gwei(100), h.now)
	}
	if most := gwei(20_000 + 100*600); h.bound(h.limit).Cmp(most) > 0 {
		t.Errorf("it may hold %s, at most %s is recent work", h.bound(h.limit), most)
	}
}

// TestClientsAreBounded: further clients have one share together, and those of which nothing is to be remembered go.
func TestClientsAreBounded(t *testing.T) {
	t.Parallel()
	h := newHonest(100, 100, 100, 1)
	for n := range maxClients + 100 {
		h.deferLoss(h.begun(h.job(1, fmt.Sprint("client ", n))))
	}
	if len(h.clients) != maxClients+1 || h.share("one more") != h.share("another") {
		t.Errorf("%d clients are kept", len(h.clients))
	}
	h.now = h.now.Add(100 * time.Hour)
	h.advance(h.now)
	if h.forget(h.now); len(h.clients) != 0 {
		t.Errorf("%d clients are kept forever", len(h.clients))
	}
}

func (h *honest) begun(j job) job {
	h.begin(j)
	return j
}
