package sender_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/sender"
)

// books are an honest orchestrator's, by the network's rules: it credits tickets,
// wants one ticket's value besides what jobs in progress may cost, bills what was done,
// and closes accounts that are idle for 10 minutes.
type books struct {
	secret   pm.Secret
	ticketEV core.Wei
	price    pm.Price
	balance  map[core.ManifestID]pm.Value
	inHand   map[core.ManifestID]pm.Value
	jobs     map[core.ManifestID]int
	touched  map[core.ManifestID]time.Time
	nonces   map[protocol.Hash]*pm.Nonces
	credited pm.Value
	issued   uint16
}

func newBooks(ev uint64, price pm.Price) *books {
	return &books{
		secret: pm.Secret{1}, ticketEV: core.NewWei(ev), price: price,
		balance: map[core.ManifestID]pm.Value{}, inHand: map[core.ManifestID]pm.Value{}, jobs: map[core.ManifestID]int{},
		touched: map[core.ManifestID]time.Time{}, nonces: map[protocol.Hash]*pm.Nonces{},
	}
}

// issue makes new parameters.
func (b *books) issue() *pm.Params {
	b.issued++
	face := core.NewWei(b.ticketEV.Big().Uint64() * 100)
	p := pm.Issue(b.secret, protocol.Word{30: byte(b.issued >> 8), 31: byte(b.issued)}, pm.Params{
		Recipient: orchestrator, FaceValue: face, WinProb: pm.WinProb(face, b.ticketEV), ExpirationBlock: 1040,
		Expiration: pm.Expiration{Round: 7, BlockHash: protocol.Hash{0xaa}},
	}, gateway, b.price)
	return &p
}

func (b *books) sweep(now time.Time) {
	for k := range b.balance {
		if b.jobs[k] == 0 && now.Sub(b.touched[k]) >= 10*time.Minute {
			delete(b.balance, k)
		}
	}
}

// admit takes a payment and says whether the job may begin.
func (b *books) admit(k core.ManifestID, p *pm.Payment, estimate int64, funds protocol.Sender, now time.Time) error {
	b.sweep(now)
	if p.Params != nil {
		rand := pm.RecipientRand(b.secret, p.Params, p.Sender, b.price)
		n := b.nonces[p.Params.RecipientRandHash]
		if n == nil {
			n = new(pm.Nonces)
			b.nonces[p.Params.RecipientRandHash] = n
		}
		c := pm.Checker{Recipient: orchestrator, L1: 1000, Round: 7, Funds: protocol.SenderFunds{Sender: funds}}
		v := c.Tickets(p, rand, false, n)
		worth := p.Params.EV().Times(int64(len(v.Accepted)))
		b.credited = b.credited.Add(worth)
		b.balance[k] = b.balance[k].Add(worth)
		b.touched[k] = now
		if v.Refused != nil {
			return v.Refused
		}
	}
	needed := pm.WeiValue(b.ticketEV)
	if cost := b.price.Of(estimate); needed.Cmp(cost) < 0 {
		needed = cost
	}
	if b.balance[k].Sub(b.inHand[k]).Cmp(needed) < 0 {
		return fmt.Errorf("%w: %s there, %s in hand", fault.InsufficientBalance, b.balance[k], b.inHand[k])
	}
	b.inHand[k] = b.inHand[k].Add(b.price.Of(estimate))
	b.jobs[k]++
	return nil
}

// start wants a ticket's value to be there once more when the work begins, as some do.
func (b *books) start(k core.ManifestID) error {
	if b.balance[k].Cmp(pm.WeiValue(b.ticketEV)) < 0 {
		return fmt.Errorf("%w: %s there when the work begins", fault.InsufficientBalance, b.balance[k])
	}
	return nil
}

func (b *books) done(k core.ManifestID, estimate, units int64, now time.Time) {
	b.inHand[k] = b.inHand[k].Sub(b.price.Of(estimate))
	b.balance[k] = b.balance[k].Sub(b.price.Of(units))
	b.jobs[k]--
	b.touched[k] = now
}

// working is a job on its way to the orchestrator, or there.
type working struct {
	p        *sender.Payment
	key      core.ManifestID
	estimate int64
	// arrived: its payment was taken. started: the work began.
	arrived, started bool
}

// TestMirrorIsNeverAbove: whatever becomes of jobs, in whatever order, the gateway
// never reckons with more than an honest orchestrator has for it, is never refused,
// and its book has every ticket that was credited.
func TestMirrorIsNeverAbove(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		k := begin(t, t.TempDir(), nil)
		defer k.close()
		ev := rapid.Uint64Range(1, 5000).Draw(rt, "ev")
		price := pm.Price{PerUnit: rapid.Int64Range(1, 50).Draw(rt, "price"),
			PixelsPerUnit: rapid.Int64Range(1, 7).Draw(rt, "per")}
		b := newBooks(ev, price)
		offer := func(key core.ManifestID) *sender.Terms {
			return terms(b.issue(), func(t *sender.Terms) { t.Key, t.Price = key, price })
		}
		keys := []core.ManifestID{"33_a", "33_b"}
		offers := map[core.ManifestID]*sender.Terms{keys[0]: offer(keys[0]), keys[1]: offer(keys[1])}
		var hand []working
		begin := func(rt *rapid.T) (working, bool) {
			most := int64(2000)
			if rapid.Bool().Draw(rt, "small") { // up to a ticket and a half
				most = int64(ev) * price.PixelsPerUnit * 3 / (price.PerUnit * 2)
			}
			w := working{key: rapid.SampledFrom(keys).Draw(rt, "key"), estimate: rapid.Int64Range(0, most).Draw(rt, "units")}
			p, err := k.Pay(rt.Context(), offers[w.key], w.estimate)
			if err != nil && fault.CodeOf(err) == fault.TicketParamsStale {
				offers[w.key] = offer(w.key)
				return w, false
			}
			if err != nil {
				if fault.CodeOf(err) == fault.TicketsTooMany {
					return w, false
				}
				rt.Fatal(err)
			}
			w.p = p
			return w, true
		}
		rt.Repeat(map[string]func(*rapid.T){
			"": func(rt *rapid.T) {
				b.sweep(k.clock.Now())
				for _, h := range k.Balances() {
					if h.Value.Sign() > 0 && k.clock.Now().Sub(b.touched[h.Key]) < 9*time.Minute+30*time.Second &&
						h.Value.Cmp(b.balance[h.Key]) > 0 {
						rt.Fatalf("%s: the mirror has %s, the orchestrator %s", h.Key, h.Value, b.balance[h.Key])
					}
				}
			},
			"begin": func(rt *rapid.T) {
				w, ok := begin(rt)
				if !ok || len(hand) > 16 {
					if ok {
						w.p.Settle(sender.Unsent, 0)
					}
					rt.Skip()
				}
				hand = append(hand, w)
			},
			"arrive": func(rt *rapid.T) { // in any order
				i := draw(rt, hand, func(w working) bool { return !w.arrived })
				w := &hand[i]
				if err := b.admit(w.key, &w.p.Payment, w.estimate, k.chain.funds, k.clock.Now()); err != nil {
					rt.Fatal(err)
				}
				w.arrived = true
			},
			"confirm": func(rt *rapid.T) {
				hand[draw(rt, hand, func(w working) bool { return w.arrived })].p.Credited()
			},
			"start": func(rt *rapid.T) {
				i := draw(rt, hand, func(w working) bool { return w.arrived && !w.started })
				if err := b.start(hand[i].key); err != nil {
					rt.Fatal(err)
				}
				hand[i].started = true
			},
			"unsent": func(rt *rapid.T) {
				if w, ok := begin(rt); ok {
					w.p.Settle(sender.Unsent, 0)
				}
			},
			"refused before the payment": func(rt *rapid.T) {
				if w, ok := begin(rt); ok {
					w.p.Settle(sender.Refused, 0)
				}
			},
			"lost on the way": func(rt *rapid.T) {
				if w, ok := begin(rt); ok {
					w.p.Settle(sender.Failed, 0)
				}
			},
			"end": func(rt *rapid.T) {
				i := draw(rt, hand, func(w working) bool { return w.started })
				w := hand[i]
				hand = append(hand[:i], hand[i+1:]...)
				switch rapid.IntRange(0, 2).Draw(rt, "how") {
				case 0:
					units := rapid.Int64Range(0, w.estimate).Draw(rt, "billed")
					b.done(w.key, w.estimate, units, k.clock.Now())
					w.p.Settle(sender.Served, units)
				case 1: // billed, and the answer is lost
					b.done(w.key, w.estimate, w.estimate, k.clock.Now())
					w.p.Settle(sender.Failed, 0)
				case 2: // the work failed and is not billed
					b.done(w.key, w.estimate, 0, k.clock.Now())
					w.p.Settle(sender.Failed, 0)
				}
			},
			"time passes": func(rt *rapid.T) {
				if len(hand) > 0 {
					rt.Skip()
				}
				k.clock.Forward(time.Duration(rapid.IntRange(1, 700).Draw(rt, "seconds")) * time.Second)
				k.Sweep()
			},
			"new parameters": func(rt *rapid.T) {
				key := rapid.SampledFrom(keys).Draw(rt, "key")
				offers[key] = offer(key)
			},
		})
		checkBook(rt, k, b)
	})
}

// draw picks one of some jobs.
func draw(rt *rapid.T, hand []working, fit func(working) bool) int {
	var some []int
	for i := range hand {
		if fit(hand[i]) {
			some = append(some, i)
		}
	}
	if len(some) == 0 {
		rt.Skip()
	}
	return rapid.SampledFrom(some).Draw(rt, "job")
}

// checkBook compares the gateway's book with the orchestrator's, nonce by nonce.
func checkBook(rt *rapid.T, k *kit, b *books) {
	flushed := terms(b.issue(), func(t *sender.Terms) { t.Key, t.Price = "flush", b.price })
	p, err := k.Pay(rt.Context(), flushed, 0) // when it is on disk, all before it is
	if err != nil {
		rt.Fatal(err)
	}
	p.Settle(sender.Unsent, 0)
	sets, err := k.book.Sets(rt.Context())
	if err != nil {
		rt.Fatal(err)
	}
	have := make(map[protocol.Hash]map[uint32]bool)
	for _, s := range sets {
		have[s.RandHash] = make(map[uint32]bool)
		for _, n := range s.Nonces {
			have[s.RandHash][n] = true
		}
	}
	for hash, n := range b.nonces {
		for _, nonce := range n.All() {
			if !have[hash][nonce] {
				rt.Fatalf("ticket %d of set %s was credited and is not in the book", nonce, hash)
			}
		}
	}
	if r, err := k.book.Verify(rt.Context()); err != nil || len(r.Problems) > 0 || r.Value.Cmp(b.credited) < 0 {
		rt.Fatalf("%+v, %v, credited %s", r, err, b.credited)
	}
}
