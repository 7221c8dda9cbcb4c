package recipient_test

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/recipient"
)

// world is a recipient on a disk that may crash, the reference alongside it, a broker,
// and what is under way between them.
type world struct {
	*node
	t      *testing.T
	dice   *rand.Rand
	disk   *disk
	ref    *reference
	broker *broker

	gateways []*gateway
	locked   map[core.Address]bool
	offers   []*offer
	sent     []sentJob
	inHand   []heldJob
	step     int
	counts   map[string]int
}

type sentJob struct {
	offer   *offer
	account pm.Account
	tickets []ticket
	signed  []pm.Signed
}

type heldJob struct {
	pm.Hold
	account pm.Account
	price   pm.Price
	cost    pm.Value
	segment bool
}

// TestModel plays quote, pay, win, restart, crash, replay, reorg, redeem and refund
// in random order alongside the reference. TUTTI_MODEL_STEPS makes it longer: 1000000.
func TestModel(t *testing.T) {
	steps, seed := 50_000, uint64(1)
	if n, err := strconv.Atoi(os.Getenv("TUTTI_MODEL_STEPS")); err == nil {
		steps = n / 2
	}
	if n, err := strconv.ParseUint(os.Getenv("TUTTI_MODEL_SEED"), 10, 64); err == nil {
		seed = n
	}
	for shard := range uint64(2) {
		t.Run(fmt.Sprint("seed ", seed+shard), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, seed+shard)
			for w.step = range steps {
				w.turn()
				if w.step%1000 == 999 {
					w.check()
				}
				if t.Failed() {
					t.Fatalf("after %d steps", w.step)
				}
			}
			w.check()
			w.summary()
		})
	}
}

func newWorld(t *testing.T, seed uint64) *world {
	w := &world{t: t, dice: rand.New(rand.NewPCG(seed, 5)), disk: newDisk(), locked: make(map[core.Address]bool),
		counts: make(map[string]int)}
	w.node = newNode(t, often, func(o *recipient.Options) {
		o.Ledger = w.disk
		o.Opening = w.disk.reopen(false, w.dice,
			start)
	})
	w.ref = newReference(pm.WeiValue(w.opt.TicketEV), w.opt.Opening.Current.ID)
	w.broker = newBroker()
	for i := range byte(3) {
		w.gateways = append(w.gateways, w.gateway(i+1))
	}
	return w
}

// turn is one step.
func (w *world) turn() {
	switch n := w.dice.IntN(1000); {
	case n < 60 || len(w.offers) == 0:
		w.quote()
	case n < 320:
		w.pay()
	case n < 400:
		w.replay()
	case n < 670:
		w.work()
	case n < 700:
		w.refund()
	case n < 760:
		w.pass()
	case n < 960:
		w.broker.turn(w)
	case n < 980:
		w.reorg()
	case n < 992:
		w.lock()
	case n < 996:
		w.restart(false)
	default:
		w.restart(true)
	}
}

// quote asks for a price, of a segment or a model, and for parameters under it, or
// only for fresh parameters.
func (w *world) quote() {
	w.counts["quote"]++
	g := w.gateways[w.dice.IntN(len(w.gateways))]
	if w.locked[g.addr] {
		return
	}
	w.price.transcoding = big.NewRat(1+w.dice.Int64N(5), 1+w.dice.Int64N(3))
	w.price.models[llama] = big.NewRat(1+w.dice.Int64N(5), 1)
	key, models := core.ManifestID(fmt.Sprint("stream", w.dice.IntN(2))), []inference.Model(nil)
	if w.dice.IntN(2) == 0 {
		key, models = llama.Manifest(), []inference.Model{llama}
	}
	o := &offer{session: w.session(g, key, models...), epoch: w.ref.epoch}
	w.ref.tallest = max(w.ref.tallest, w.chain.view.Head.L1)
	if len(w.offers) < 12 {
		w.offers = append(w.offers, o)
		return
	}
	w.offers[w.dice.IntN(len(w.offers))] = o
}

// pay sends up to three tickets: new ones, old ones, forged ones.
func (w *world) pay() {
	w.counts["pay"]++
	o := w.offers[w.dice.IntN(len(w.offers))]
	s := sentJob{offer: o, account: pm.Account{Sender: o.g.addr, Key: o.key}}
	for range w.dice.IntN(3) {
		o.next++
		nonce := o.next
		if w.dice.IntN(20) == 0 {
			nonce = uint32(w.dice.IntN(int(o.next) + 1))
		}
		signed := o.g.sign(o.terms, nonce)
		forged := w.dice.IntN(30) == 0
		if forged {
			signed.Sig[10] ^= 1
		}
		s.signed = append(s.signed, signed)
		s.tickets = append(s.tickets, w.draw(o, signed, forged))
	}
	w.send(&s)
	if len(w.sent) < 50 {
		w.sent = append(w.sent, s)
		return
	}
	w.sent[w.step%len(w.sent)] = s
}

func (w *world) draw(o *offer, s pm.Signed, forged bool) ticket {
	secret := w.disk.epoch.Secret
	for _, e := range w.disk.retired {
		if e.ID == o.epoch {
			secret = e.Secret
		}
	}
	rand := pm.RecipientRand(secret, o.terms, o.g.addr, o.quote.Price)
	return ticket{nonce: s.Nonce, forged: forged, hash: o.terms.TicketHash(o.g.addr, s.Nonce),
		wins: pm.Wins(s.Sig, rand, o.terms.WinProb)}
}

// replay sends a request of old again, as it was or for another account.
func (w *world) replay() {
	if len(w.sent) == 0 {
		return
	}
	w.counts["replay"]++
	s := w.sent[w.dice.IntN(len(w.sent))]
	if s.offer.model == nil && w.dice.IntN(2) == 0 {
		s.account.Key = "stream0"
	}
	w.send(&s)
}

// send has the recipient and the reference judge a request.
func (w *world) send(s *sentJob) {
	if known := int64(w.ref.epoch) - retiredMost; int64(s.offer.epoch) < known {
		return // parameters that old are foreign, which other tests have
	}
	estimate := 1 + w.dice.Int64N(1_000_000_000_000_000)
	p := s.offer.g.payment(s.offer.terms, s.offer.quote.Price)
	p.Tickets = s.signed
	job := s.offer.with(p, estimate)
	job.Account = s.account
	cost := s.offer.quote.Price.Of(estimate)
	w.ref.tallest = max(w.ref.tallest, w.heightFor(s))
	want := w.ref.pay(s.offer, s.account, s.tickets, w.locked[s.offer.g.addr], cost)
	if err := w.MayPay(context.Background(), job); err != nil && want == "" {
		w.t.Fatalf("step %d: %v for a job that is admitted", w.step, err)
	}
	hold, err := w.Admit(context.Background(), job)
	got := fault.Code("")
	if err != nil {
		got = fault.CodeOf(err)
	}
	if got != want {
		w.t.Fatalf("step %d: answered %q (%v), want %q; %+v", w.step, got, err, want, s.tickets)
	}
	w.counts["answered "+string(got)]++
	if err == nil {
		w.inHand = append(w.inHand, heldJob{hold, s.account, s.offer.quote.Price, cost, s.offer.model == nil})
	}
}

// heightFor is the height that a request shows to the process: one with tickets has
// it looked at.
func (w *world) heightFor(s *sentJob) protocol.L1Block {
	if len(s.tickets) == 0 || w.chain.err != nil {
		return 0
	}
	return w.chain.view.Head.L1
}

// pass lets time go by, and the recipient look for what is over.
func (w *world) pass() {
	w.counts["pass"]++
	w.chain.view.Head.L1 += protocol.L1Block(w.dice.IntN(4))
	w.clock.Forward(time.Duration(w.dice.IntN(90)) * time.Second)
	for account, a := range w.ref.accounts {
		if a.balance.Sign() == 0 && a.jobs == 0 {
			delete(w.ref.accounts, account)
		}
	}
	w.Sweep()
	w.ref.tallest = max(w.ref.tallest, w.chain.view.Head.L1)
	w.ref.expired = w.disk.expired
	w.closed()
}

// closed has the reference forget the accounts that were closed for being idle.
func (w *world) closed() {
	open, senders := make(map[pm.Account]bool), make(map[core.Address]bool)
	for _, a := range w.Snapshot(context.Background()).Accounts {
		open[a.Account], senders[a.Account.Sender] = true, true
	}
	for account, a := range w.ref.accounts {
		if !open[account] && (a.jobs > 0 || w.clock.Now().Sub(start) < 10*time.Minute) {
			w.t.Fatalf("an account with %d jobs was closed", a.jobs)
		}
		if !open[account] {
			w.ref.close(account, w.clock.Now())
		}
	}
	w.ref.forgive(senders, w.clock.Now())
}

// reorg has the chain go back some blocks, and what was redeemed in them undone.
func (w *world) reorg() {
	w.counts["reorg"]++
	w.chain.view.Head.L1 -= protocol.L1Block(w.dice.IntN(8))
	w.broker.undo(w)
}

// lock has a gateway take its funds out, or think better of it.
func (w *world) lock() {
	g := w.gateways[w.dice.IntN(len(w.gateways))]
	w.locked[g.addr] = !w.locked[g.addr] && w.dice.IntN(4) == 0
	round := protocol.Round(0)
	if w.locked[g.addr] {
		round = 3501
	}
	unlocks(round)(w.node, g)
}

// restart ends the process, in order or by a crash.
func (w *world) restart(crash bool) {
	if crash && w.dice.IntN(4) > 0 {
		return
	}
	w.counts[fmt.Sprint("restart, crash: ", crash)]++
	if !crash {
		for len(w.inHand) > 0 {
			w.work()
		}
	}
	w.inHand = nil
	w.opt.Opening = w.disk.reopen(crash, w.dice, w.clock.Now())
	w.opt.Rand = rand.NewChaCha8([32]byte{byte(w.step), byte(w.step >> 8), byte(w.step >> 16)})
	w.open()
	w.ref.restart(w.opt.Opening.Balances)
}
