package livepay

import (
	"encoding/json"
	"flag"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/test/livepayer"
)

var hours = flag.Int("livepay.hours", 600, "how many hours of sessions are simulated")

// client is a session of the simulation, over all the node's lives.
type client struct {
	payer    *livepayer.Payer
	paid     *livepayer.Session
	manifest core.ManifestID
	work     orchestrate.LiveWork
	live     *orchestrate.LiveSession
	// ahead is until when it has paid, generous how much longer than needed it pays at a time. At stops it
	// ceases to pay, and stays.
	ahead, generous, stops time.Duration
	// begun is when the session in progress began, before how long earlier ones went on, and due what they
	// came to. refreshed is when the payer got its offer.
	begun, before, refreshed time.Duration
	due                      int64
	// lost is what kills left unpaid.
	lost int64
}

const (
	interval = 5 * time.Second
	// look is the longest time between two looks of the charger.
	look = time.Second
	// refreshAfter is when a payer gets a new token.
	refreshAfter = 10 * time.Minute
)

// simulation are sessions of a node that is killed, stalls, and whose clock is set.
type simulation struct {
	*node
	dice    *rand.Rand
	clients []*client
	// total is the time of all sessions.
	total        time.Duration
	kills, sets  int
	stalls, ends int
}

// TestSimulatedSessions: over thousands of hours of sessions, with kills, stalls of the charger and clocks that
// are set, what is booked is what the time came to and the payer's credit allowed, to the wei; and no more
// than an interval of a session's life stays unpaid.
func TestSimulatedSessions(t *testing.T) {
	t.Parallel()
	// A ticket pays for ten minutes.
	s := &simulation{node: newNode(t, 138888888888*600), dice: rand.New(rand.NewPCG(1, 2))}
	for len(s.clients) < 400 {
		s.begin()
	}
	want := time.Duration(*hours) * time.Hour
	for s.total < want {
		s.step()
	}
	for len(s.clients) > 0 {
		s.end(len(s.clients) - 1)
	}
	t.Logf("%v of sessions, %d ended, %d kills, %d stalls, %d clocks set", s.total, s.ends, s.kills, s.stalls, s.sets)
	if s.kills == 0 || s.stalls == 0 || s.sets == 0 || s.ends < 400 {
		t.Error("the simulation met too little")
	}
}

// work is one of two kinds.
func (s *simulation) work() (orchestrate.LiveWork, pm.Price) {
	if s.dice.IntN(2) == 0 {
		return orchestrate.LiveWork{Name: "label hour", Unit: orchestrate.LiveSeconds, App: "demo/hour"},
			pm.Price{PerUnit: 138888888888, PixelsPerUnit: 1}
	}
	return orchestrate.LiveWork{Name: "label px", Unit: orchestrate.LivePixels, App: "demo/720p"},
		pm.Price{PerUnit: 5023, PixelsPerUnit: 1}
}

func (s *simulation) begin() {
	s.t.Helper()
	work, price := s.work()
	payer := s.payer(byte(10 + s.dice.IntN(20)))
	params, manifest, err := s.wall.Challenge(s.t.Context(), orchestrate.LiveOfferRequest{
		Sender: payer.Account, Work: work, Price: price,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	paid, err := payer.Open(params, manifest)
	if err != nil {
		s.t.Fatal(err)
	}
	c := &client{
		payer: payer, paid: paid, manifest: manifest, work: work,
		generous: time.Duration(s.dice.IntN(1200)) * time.Second,
		stops:    time.Duration(s.dice.IntN(3600)) * time.Second, refreshed: s.monotonic(),
	}
	if err := s.open(c, 10*time.Second); err != nil {
		s.t.Fatal(err)
	}
	s.clients = append(s.clients, c)
}

// read makes and reads a payment for so long.
func (s *simulation) read(c *client, d time.Duration) *orchestrate.LivePayment {
	s.t.Helper()
	units := int64(d / time.Second)
	if c.work.Unit == orchestrate.LivePixels {
		units *= orchestrate.PixelsPerSecond
	}
	r := httptest.NewRequest(http.MethodPost, service, nil)
	r.Header = s.paid(c.paid, units)
	p, err := s.wall.Read(r)
	if err != nil {
		s.t.Fatal(err)
	}
	c.ahead += d
	return p
}

// open begins a client's session, with a payment for so long.
func (s *simulation) open(c *client, d time.Duration) (err error) {
	s.t.Helper()
	c.live, err = s.orch.BeginLive(s.t.Context(), s.read(c, d), c.work, c.manifest)
	c.begun = s.monotonic()
	return err
}

func (c *client) account() pm.Account {
	return pm.Account{Sender: c.payer.Account, Key: pm.LiveKey(c.manifest)}
}

// units are those of a time.
func (c *client) units(d time.Duration) int64 {
	if c.work.Unit == orchestrate.LivePixels {
		// As the recordings count: 30 pictures of 720p a second, of which begun ones do not count.
		return int64(d/time.Millisecond)*(orchestrate.PixelsPerSecond/1000) +
			int64(d%time.Millisecond)*(orchestrate.PixelsPerSecond/1000)/int64(time.Millisecond)
	}
	return int64(d / time.Second)
}

// step lets some time pass, in which something may go wrong.
func (s *simulation) step() {
	s.t.Helper()
	s.books.flush()
	d, kill := time.Duration(s.dice.Int64N(int64(look))), false
	switch n := s.dice.IntN(10_000); {
	case n < 30:
		kill = true
	case n < 80:
		s.stalls++
		d = time.Duration(s.dice.Int64N(int64(2 * time.Minute)))
	case n < 90:
		s.sets++
		s.set(time.Duration(s.dice.Int64N(int64(4*time.Minute))) - 2*time.Minute)
	}
	s.later(d)
	s.total += d * time.Duration(len(s.clients))
	for i := len(s.clients) - 1; i >= 0; i-- {
		if kill && s.dice.IntN(len(s.clients)) == 0 {
			s.kill() // in the middle of the charger's work
			return
		}
		s.serve(i)
	}
	if s.dice.IntN(20) == 0 {
		s.end(s.dice.IntN(len(s.clients)))
	}
	for len(s.clients) < 400 {
		s.begin()
	}
}

// serve is what payer and charger do for a client. The payer pays by its own clock, also while the charger
// stalls.
func (s *simulation) serve(i int) {
	s.t.Helper()
	c, now := s.clients[i], s.monotonic()
	lived := c.before + now - c.begun
	if lived < c.stops && now-c.refreshed > refreshAfter {
		s.refresh(c)
	}
	if lived < c.stops && c.ahead < lived+10*time.Second {
		payment := s.read(c, (lived + 11*time.Second - c.ahead + c.generous).Truncate(time.Second))
		if _, err := s.wall.Credit(s.t.Context(), payment); err != nil {
			s.t.Fatal(err)
		}
	}
	if !c.live.Due() {
		return
	}
	if err := c.live.Charge(); err != nil {
		if fault.CodeOf(err) != fault.InsufficientBalance {
			s.t.Fatal(err)
		}
		s.end(i)
	}
}

// refresh gets a client's payer a new token and new parameters.
func (s *simulation) refresh(c *client) {
	s.t.Helper()
	body := jsonText(map[string]any{"sender": c.payer.Account.String(), "manifest_id": c.manifest})
	var in challenge
	a := s.send("POST", "/refresh-payment", body, nil)
	if err := json.Unmarshal([]byte(a.body), &in); err != nil || a.status != http.StatusOK {
		s.t.Fatal(a, err)
	}
	if err := c.paid.Refresh(in.Params); err != nil {
		s.t.Fatal(err)
	}
	c.refreshed = s.monotonic()
}

// end ends a client's session.
func (s *simulation) end(i int) {
	s.t.Helper()
	c := s.clients[i]
	s.clients = slices.Delete(s.clients, i, i+1)
	c.due += max(c.units(s.monotonic()-c.begun), c.units(time.Second))
	c.live.End()
	s.settle(c)
}

// settle holds what was booked for a client against what the time came to and what was paid.
func (s *simulation) settle(c *client) {
	s.t.Helper()
	s.ends++
	credited, booked, balance := s.books.of(c.account())
	price := c.paid.Price()
	if diff := credited.Sub(price.Of(booked)).Sub(balance); diff.Sign() != 0 {
		s.t.Errorf("%s: paid %s, booked %d, left %s: %s wei apart", c.manifest, credited, booked, balance, diff)
	}
	if credited.Cmp(c.paid.Paid()) != 0 {
		s.t.Errorf("%s: the payer paid %s, the node has %s", c.manifest, c.paid.Paid(), credited)
	}
	units := credited.Rat()
	allowed := pm.ValueOf(units.Quo(units, price.Rat())).Floor().Int64()
	if want := min(c.due, allowed); booked > want || booked < want-c.lost {
		s.t.Errorf("%s: %d units were booked, want %d (%d due, %d paid, %d lost)", c.manifest, booked, want, c.due, allowed,
			c.lost)
	}
}

// kill kills the node. What a client owes that is not on the disk is no more than an interval; its credit is
// there, and with it it begins again under its token, if that is enough.
func (s *simulation) kill() {
	s.t.Helper()
	s.kills++
	s.node.kill()
	all, balances := s.clients, s.balances()
	s.clients = nil
	for _, c := range all {
		life := s.monotonic() - c.begun
		c.due, c.before = c.due+c.units(life), c.before+life
		credited, booked, balance := s.books.of(c.account())
		lost := c.due - booked - c.lost
		if most := c.units(interval + look); lost > most && credited.Sub(c.paid.Price().Of(c.due)).Sign() >= 0 {
			s.t.Errorf("%s: the kill lost %d units, more than %d", c.manifest, lost, most)
		}
		c.lost += max(0, lost)
		if have := balances[c.account()]; have.Cmp(balance) != 0 {
			s.t.Errorf("%s: %s after the kill, %s in the books", c.manifest, have, balance)
		}
		switch err := s.open(c, 0); {
		case err == nil:
			s.refresh(c)
			s.clients = append(s.clients, c)
		case fault.CodeOf(err) == fault.InsufficientBalance && balance.Cmp(c.paid.Price().Of(c.units(interval))) < 0:
			s.settle(c)
		default:
			s.t.Errorf("%s begins again with %s wei: %v", c.manifest, balance, err)
		}
	}
}

// balances are what the node has in its accounts.
func (s *simulation) balances() map[pm.Account]pm.Value {
	all := make(map[pm.Account]pm.Value)
	for _, a := range s.pay.Snapshot(s.t.Context()).Accounts {
		all[a.Account] = a.Balance
	}
	return all
}
