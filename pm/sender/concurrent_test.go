package sender_test

import (
	"flag"
	"fmt"
	"math/big"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/sender"
)

// load is a gateway with jobs at once at an orchestrator that keeps to the network's
// rules. A ticket is worth ticketWei, a unit a wei.
type load struct {
	*kit
	b     *books
	mu    sync.Mutex
	offer map[core.ManifestID]*sender.Terms
	dice  *rand.Rand
	// confirms: the orchestrator says at once that it credited tickets.
	confirms bool
	// sent is what the tickets are worth, billed what was done.
	sent, billed pm.Value
}

const ticketWei = 8000

var concurrentLong = flag.Bool("concurrent.long", false, "256 jobs at once too")

func newLoad(t *testing.T) *load {
	c := &load{kit: begin(t, t.TempDir(), nil), dice: rand.New(rand.NewPCG(7, 17))}
	c.b = newBooks(ticketWei, pm.Price{PerUnit: 1, PixelsPerUnit: 1})
	c.offer = make(map[core.ManifestID]*sender.Terms)
	return c
}

// pay pays for a job, with new parameters where the ones before are used up.
func (c *load) pay(t *testing.T, key core.ManifestID, units int64) *sender.Payment {
	for {
		c.mu.Lock()
		if c.offer[key] == nil {
			c.offer[key] = terms(c.b.issue(), func(t *sender.Terms) { t.Key, t.Confirms = key, c.confirms })
		}
		offer := c.offer[key]
		c.mu.Unlock()
		p, err := c.Pay(t.Context(), offer, units)
		if err == nil {
			return p
		}
		if fault.CodeOf(err) != fault.TicketParamsStale {
			t.Error(err)
			return nil
		}
		c.mu.Lock()
		if c.offer[key] == offer {
			delete(c.offer, key)
		}
		c.mu.Unlock()
	}
}

// job is paid, travels, is done and comes back.
func (c *load) job(t *testing.T, key core.ManifestID, estimate, units int64) {
	p := c.pay(t, key, estimate)
	if p == nil {
		return
	}
	wait(c.between(time.Millisecond, 20*time.Millisecond))
	c.mu.Lock()
	c.sent = c.sent.Add(evOf(p))
	err := c.b.admit(key, &p.Payment, estimate, c.chain.funds, c.clock.Now())
	c.mu.Unlock()
	if err != nil {
		t.Error(err)
		p.Settle(sender.Short, 0)
		return
	}
	if wait(c.between(time.Millisecond, 20*time.Millisecond)); c.confirms {
		p.Credited()
	}
	wait(c.between(0, time.Second))
	c.mu.Lock()
	err = c.b.start(key)
	c.mu.Unlock()
	if err != nil {
		t.Error(err)
	}
	wait(c.between(200*time.Millisecond, 2*time.Second))
	c.mu.Lock()
	c.b.done(key, estimate, units, c.clock.Now())
	c.billed = c.billed.Add(pm.ValueOf(new(big.Rat).SetInt64(units)))
	c.mu.Unlock()
	wait(time.Millisecond)
	p.Settle(sender.Served, units)
	p.Received(units)
}

func evOf(p *sender.Payment) pm.Value {
	if len(p.Tickets) == 0 {
		return pm.Value{}
	}
	return p.Params.EV().Times(int64(len(p.Tickets)))
}

func (c *load) between(least, most time.Duration) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return least + time.Duration(c.dice.Int64N(int64(most-least)))
}

func wait(d time.Duration) { <-time.After(d) }

// over is by how much more was paid than billed, in thousandths of the bill and in tickets.
func (c *load) over() (thousandths, tickets int64) {
	rest := c.sent.Sub(c.billed).Floor()
	tickets = new(big.Int).Quo(rest, big.NewInt(ticketWei)).Int64()
	return rest.Mul(rest, big.NewInt(1000)).Quo(rest, c.billed.Floor()).Int64(), tickets
}

// within: no more than 2 % and one ticket for each balance are paid too much.
func (c *load) within(t *testing.T, balances int64) {
	t.Helper()
	thousandths, tickets := c.over()
	t.Logf("paid %s, billed %s: %d per mille, %d tickets too much", c.sent.Floor(), c.billed.Floor(), thousandths, tickets)
	limit := new(big.Int).Quo(c.billed.Floor(), big.NewInt(50))
	limit.Add(limit, big.NewInt(ticketWei*balances))
	if c.sent.Sub(c.billed).Floor().Cmp(limit) > 0 {
		t.Errorf("paid %s for work of %s", c.sent.Floor(), c.billed.Floor())
	}
}

// TestConcurrentJobsUseTheBalance: jobs of one model that run at once use what others left
// over; all are admitted, whatever order they arrive in. Orchestrators of the network say
// nothing before they answer, ours say at once that they credited tickets.
func TestConcurrentJobsUseTheBalance(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name     string
		units    int64
		confirms bool
		jobs     int // of each client at least
	}{
		{"a quarter", ticketWei / 4, false, 48},
		{"more than one", ticketWei * 6 / 5, false, 16},
		{"several", ticketWei*8 + ticketWei/3, false, 8},
		{"a twentieth, confirmed", ticketWei / 20, true, 16},
		{"a quarter, confirmed", ticketWei / 4, true, 8},
		{"more than one, confirmed", ticketWei * 6 / 5, true, 8},
	} {
		for _, at := range []int{1, 4, 16, 64, 256} {
			if at > 64 && !*concurrentLong {
				continue
			}
			t.Run(fmt.Sprintf("%s, %d at once", row.name, at), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					c := newLoad(t)
					c.confirms = row.confirms
					var clients sync.WaitGroup
					for range at {
						clients.Go(func() {
							for range max(row.jobs, 1024/at) {
								c.job(t, "33_m", row.units, row.units)
							}
						})
					}
					clients.Wait()
					c.within(t, 1)
					c.close()
				})
			})
		}
	}
}

// TestConcurrentSegmentsUseTheirBalance: a stream's balance is its own, as an orchestrator
// keeps it, and its segments share that, one after the other or at once.
func TestConcurrentSegmentsUseTheirBalance(t *testing.T) {
	t.Parallel()
	for _, streams := range []int{1, 4, 16, 64} {
		t.Run(fmt.Sprint(streams), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := newLoad(t)
				var all sync.WaitGroup
				for n := range streams {
					all.Go(func() {
						for range 12 {
							var burst sync.WaitGroup
							for range 2 {
								const billed = ticketWei*8 + ticketWei/3
								burst.Go(func() { c.job(t, core.ManifestID(fmt.Sprint(n)), billed+billed/50, billed) })
							}
							burst.Wait()
						}
					})
				}
				all.Wait()
				c.within(t, 1)
				c.close()
			})
		})
	}
}

// TestNoJobIsRefusedForOthers: a payment that could be made for its own job alone is made,
// however many jobs wait for what it may leave over.
func TestNoJobIsRefusedForOthers(t *testing.T) {
	t.Parallel()
	const ticket, small = 1000, 900
	for name, row := range map[string]struct {
		units  int64
		limits func(o *sender.Options)
	}{
		"nearly all of the credit":  {86_000, bounded},
		"nearly all of one payment": {18_000, func(o *sender.Options) { o.Limits.MaxTotalEV = core.NewWei(19_000) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				k := begin(t, t.TempDir(), row.limits)
				offer := terms(params(99, ticket), func(t *sender.Terms) { t.Payee, t.Confirms = cheat, true })
				pay(t, k, offer.For("first"), small)
				var waiting sync.WaitGroup
				for n := range 10 {
					waiting.Go(func() {
						if p, err := k.Pay(t.Context(), offer.For(fmt.Sprint("waits", n)), small); err == nil {
							p.Settle(sender.Unsent, 0)
						}
					})
				}
				synctest.Wait()
				if p := pay(t, k, offer.For("payer"), row.units); len(p.Tickets) != int((row.units+ticket-1)/ticket) {
					t.Errorf("%d tickets for %d wei", len(p.Tickets), row.units)
				}
				waiting.Wait()
				k.close()
			})
		})
	}
}

// creditedWait is how long a job waits for tickets that are on their way.
const creditedWait = 250 * time.Millisecond

// TestNoJobWaitsForOthers: a segment whose own ticket is within the credit does not wait until
// those for other jobs are as well.
func TestNoJobWaitsForOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := begin(t, t.TempDir(), bounded)
		offer := terms(params(99, 1000), func(t *sender.Terms) {
			t.Payee, t.Confirms, t.Model, t.Pipeline = cheat, true, "", ""
		})
		pay(t, k, offer.For("first"), 900)
		var waiting sync.WaitGroup
		for range 10 {
			waiting.Go(func() {
				if p, err := k.Pay(t.Context(), offer.For("waits"), 900); err == nil {
					p.Settle(sender.Unsent, 0)
				}
			})
		}
		synctest.Wait()
		pay(t, k, of("rest", 7), 86_000)
		pay(t, k, of("more", 8), 11_000)
		from := time.Now()
		p := pay(t, k, offer.For("payer"), 1000)
		if took := time.Since(from); took > creditedWait || len(p.Tickets) != 1 {
			t.Errorf("it waited %v, for %d tickets", took, len(p.Tickets))
		}
		waiting.Wait()
		k.close()
	})
}
