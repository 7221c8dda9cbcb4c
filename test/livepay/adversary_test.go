package livepay

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	corerunner "github.com/tuttinode/tutti/core/liverunner"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/test/livepayer"
)

// newShop is a node with three runners, as the recordings have them.
func newShop(t *testing.T) *node {
	t.Helper()
	n := newNode(t, 1e11)
	app := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(app.Close)
	base := `"routing":"label","health_url":"/health","runner_url":"` + app.URL + `"`
	n.register(`{"label":"hour","app":"demo/hour","capacity":2,"price_info":{"price":1.5},` + base + `},
		{"label":"day","app":"demo/day","capacity":2,"price_info":{"price":1.5},` + base + `},
		{"label":"fix","app":"demo/fixed","mode":"single-shot","price_info":{"price":0.001,"unit":"fixed"},` + base + `},
		{"label":"px","app":"demo/720p","price_info":{"price":1.5,"unit":"720p"},` + base + `}`)
	return n
}

// reserve begins a session of a runner, paid for so long.
func (n *node) reserve(route string, p *livepayer.Payer, units int64) (challenge, *livepayer.Session) {
	n.t.Helper()
	c, s := n.challenge("POST", "/apps/"+route+"/session", p)
	n.expect("reserve", n.send("POST", "/apps/"+route+"/session", "", n.paid(s, units)), http.StatusOK, "")
	return c, s
}

// credited is what a payer paid for a session, and the units that it was charged.
func (n *node) credited(p *livepayer.Payer, m core.ManifestID) (credited pm.Value, units int64) {
	credited, units, _ = n.books.of(pm.Account{Sender: p.Account, Key: pm.LiveKey(m)})
	return credited, units
}

// used is how many slots of a runner are taken.
func (n *node) used(label string) int {
	n.t.Helper()
	runners := n.live.Runners()
	i := slices.IndexFunc(runners, func(r corerunner.Runner) bool { return r.Spec.Label == label })
	return runners[i].Used
}

// TestAPaymentIsForItsSessionAlone: no one pays for, renews or uses up another's session, and a payment is good
// for the session, runner and unit of its challenge alone.
func TestAPaymentIsForItsSessionAlone(t *testing.T) {
	t.Parallel()
	n := newShop(t)
	victim, attacker := n.payer(1), n.payer(3)
	c, s := n.reserve("hour", victim, 10)
	at := "/apps/hour/session/" + string(c.Manifest) + "/payment"
	other, o := n.reserve("day", attacker, 10)

	const mismatch = "mismatched session and payment manifest\n"
	n.expect("another session's payment", n.send("POST", at, "", n.paid(o, 1)), http.StatusForbidden, mismatch)
	forged := n.forManifest(n.paid(o, 1), attacker, c.Manifest)
	n.expect("with the session's name", n.send("POST", at, "", forged), http.StatusForbidden, mismatch)
	n.expect("reserve under its name", n.send("POST", "/apps/hour/session", "", forged), http.StatusForbidden,
		"mismatched manifest and auth token\n")
	before, _ := n.credited(victim, c.Manifest)
	n.expect("credit under its name", n.send("POST", "/payment", "", forged), http.StatusOK, "")
	if after, _ := n.credited(victim, c.Manifest); after.Cmp(before) != 0 {
		t.Errorf("the session has %s wei after another's payment, %s before", after, before)
	}
	body := jsonText(map[string]any{"sender": attacker.Account.String(), "manifest_id": c.Manifest})
	n.expect("an offer for it", n.send("POST", "/refresh-payment", body, nil), http.StatusConflict, "")

	// The credentials are signed by who pays.
	mixed := n.paid(s, 1)
	mixed.Set(rpc.PaymentHeader, n.paid(o, 1).Get(rpc.PaymentHeader))
	n.expect("another's tickets", n.send("POST", at, "", mixed), http.StatusForbidden, "ErrSegSig\n")

	// A challenge of one runner at the others.
	const price = "payment price does not match live runner price\n"
	_, s = n.challenge("POST", "/apps/hour/session", attacker)
	h := n.paid(s, 10)
	for _, path := range []string{"/apps/day/session", "/apps/px/session", "/apps/fix/app/x"} {
		n.expect("the hour's price at "+path, n.send("POST", path, "", h), http.StatusBadRequest, price)
	}
	if n.used("day") != 1 || n.used("px") != 0 || n.used("fix") != 0 {
		t.Error("a refused payment took a slot")
	}
	n.expect("the other session", n.send("GET", "/apps/day/session/"+string(other.Manifest)+"/app/", "", nil),
		http.StatusOK, "")
}

// TestPaymentsAreTakenOnce: a payment that comes again, at once or later, is credited once and opens nothing.
func TestPaymentsAreTakenOnce(t *testing.T) {
	t.Parallel()
	n := newShop(t)
	payer := n.payer(1)
	c, s := n.challenge("POST", "/apps/hour/session", payer)
	h := n.paid(s, 10)
	var all sync.WaitGroup
	var mu sync.Mutex
	statuses := make(map[int]int)
	for range 24 {
		all.Go(func() {
			a := n.send("POST", "/apps/hour/session", "", h)
			mu.Lock()
			defer mu.Unlock()
			statuses[a.status]++
		})
	}
	all.Wait()
	if statuses[http.StatusOK] != 1 || statuses[http.StatusOK]+statuses[http.StatusConflict] != 24 {
		t.Errorf("statuses %v", statuses)
	}
	top := n.paid(s, 3)
	at := "/apps/hour/session/" + string(c.Manifest)
	n.expect("a payment", n.send("POST", at+"/payment", "", top), http.StatusOK, "")
	for range 3 {
		n.expect("again", n.send("POST", at+"/payment", "", top), http.StatusBadRequest, "")
	}
	n.expect("stop", n.send("POST", at+"/stop", "", nil), http.StatusNoContent, "")
	n.expect("reserve with what was paid", n.send("POST", "/apps/hour/session", "", h), http.StatusBadRequest, "")
	if got, _ := n.credited(payer, c.Manifest); got.Cmp(s.Paid()) != 0 {
		t.Errorf("%s wei were credited, %s paid", got, s.Paid())
	}
	if used := n.used("hour"); used != 0 {
		t.Errorf("%d slots are taken", used)
	}
}

// TestPricesThatChange: a payer cannot choose its price, and the price of a session does not change. A fixed price
// must be the present one, and a challenge for another unit is void.
func TestPricesThatChange(t *testing.T) {
	t.Parallel()
	n := newShop(t)
	payer := n.payer(1)
	c, s := n.challenge("POST", "/apps/hour/session", payer)
	for _, change := range []func(*rpc.Payment){
		func(m *rpc.Payment) { m.ExpectedPrice.PricePerUnit = 1 },
		func(m *rpc.Payment) { m.ExpectedPrice.PixelsPerUnit = 1e9 },
		func(m *rpc.Payment) { m.ExpectedPrice = nil },
	} {
		n.expect("a price of one's own", n.send("POST", "/apps/hour/session", "", changed(t, n.paid(s, 0), change)),
			http.StatusBadRequest, "")
	}
	n.worth(1000) // dearer now: the quoted price counts
	n.expect("reserve", n.send("POST", "/apps/hour/session", "", n.paid(s, 10)), http.StatusOK, "")
	n.later(5 * time.Second)
	n.live.Charge()
	if _, units := n.credited(payer, c.Manifest); units != 5 {
		t.Errorf("%d seconds were charged", units)
	}
	if debit := n.books.debits[len(n.books.debits)-1]; debit.Price.PerUnit != 138888888888 {
		t.Errorf("charged at %s", debit.Price)
	}

	_, fixed := n.challenge("GET", "/apps/fix/app/x", payer)
	n.worth(3000)
	n.expect("the price of before", n.send("GET", "/apps/fix/app/x", "", n.paid(fixed, 1)), http.StatusBadRequest,
		"payment price does not match live runner price\n")
	_, old := n.challenge("POST", "/apps/day/session", payer)
	n.register(`{"label":"day","routing":"label","app":"demo/day","price_info":{"price":1.5,"unit":"720p"},
		"health_url":"` + n.public.URL + `/discovery","runner_url":"` + n.public.URL + `"}`)
	n.expect("the unit of before", n.send("POST", "/apps/day/session", "", n.paid(old, 10)), http.StatusBadRequest,
		"payment price does not match live runner price\n")

	n.worth(0) // no rate: no price
	n.expect("without a rate", n.send("POST", "/apps/hour/session", "", named(payer.Account)),
		http.StatusServiceUnavailable, "live runner price unavailable: the rate of its currency is not known\n")
	n.later(31 * time.Minute)
	n.expect("an old offer", n.send("POST", "/payment", "", n.paid(s, 0)), http.StatusForbidden, "expired auth token\n")
}

// changed changes the payment of a request.
func changed(t *testing.T, h http.Header, change func(*rpc.Payment)) http.Header {
	t.Helper()
	m, err := rpc.DecodePayment(h.Get(rpc.PaymentHeader))
	if err != nil {
		t.Fatal(err)
	}
	change(m)
	text, err := rpc.EncodeHeader(m)
	if err != nil {
		t.Fatal(err)
	}
	out := h.Clone()
	out.Set(rpc.PaymentHeader, text)
	return out
}

// TestALiveQuoteIsForLiveWorkAlone: the price of a second of a runner buys no pixel of a stream and no token of a
// model.
func TestALiveQuoteIsForLiveWorkAlone(t *testing.T) {
	t.Parallel()
	n := newShop(t)
	payer := n.payer(1)
	c, s := n.challenge("POST", "/apps/px/session", payer)
	data, err := base64.StdEncoding.DecodeString(c.Params)
	if err != nil {
		t.Fatal(err)
	}
	info := new(rpc.OrchestratorInfo)
	if err := proto.Unmarshal(data, info); err != nil {
		t.Fatal(err)
	}
	quote, err := pm.ParseQuote(info.GetAuthToken().GetToken()[32:])
	if err != nil {
		t.Fatal(err)
	}
	m, err := rpc.DecodePayment(n.paid(s, 1e9).Get(rpc.PaymentHeader))
	if err != nil {
		t.Fatal(err)
	}
	payment, err := rpc.FromPayment(m)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []core.ManifestID{c.Manifest, pm.LiveKey(c.Manifest)} {
		_, err = n.pay.Admit(t.Context(), &pm.Job{Account: pm.Account{Sender: payer.Account, Key: key}, Quote: quote,
			Payment: payment, Session: core.SessionID(c.Manifest), Estimate: 1})
		if fault.CodeOf(err) != fault.ExpectedPriceWrong {
			t.Errorf("a segment at the price of live work: %v", err)
		}
	}
}

// TestPayersWithoutFunds: who has no funds, or takes them away, gets no challenge and no slot.
func TestPayersWithoutFunds(t *testing.T) {
	t.Parallel()
	n := newShop(t)
	empty := newAccount(7)
	n.expect("no deposit", n.send("POST", "/apps/hour/session", "", named(empty.address())),
		http.StatusInternalServerError, "insufficient sender reserve\n")
	payer := n.payer(1)
	_, s := n.challenge("POST", "/apps/hour/session", payer)
	h := n.paid(s, 10)
	n.chain.mu.Lock()
	n.chain.funds[payer.Account] = protocol.SenderFunds{}
	n.chain.mu.Unlock()
	if a := n.send("POST", "/apps/hour/session", "", h); a.status == http.StatusOK {
		t.Errorf("a payer without funds: %+v", a)
	}
	n.chain.fund(payer.Account)
	_, s = n.challenge("POST", "/apps/hour/session", payer)
	n.expect("tickets for a second", n.send("POST", "/apps/hour/session", "", n.paid(s, 1)), http.StatusBadRequest,
		"Insufficient balance\n")
	_, s = n.challenge("POST", "/apps/hour/session", payer)
	n.expect("no tickets", n.send("POST", "/apps/hour/session", "", n.paid(s, 0)), http.StatusBadRequest,
		"Insufficient balance\n")
	if n.used("hour") != 0 || n.orch.Usage().Sessions != 0 {
		t.Error("a slot is taken")
	}
}

// TestShortSessionsAreNotFree: who begins and stops sessions all the time pays a second for each.
func TestShortSessionsAreNotFree(t *testing.T) {
	t.Parallel()
	n := newShop(t)
	payer := n.payer(1)
	c, s := n.reserve("hour", payer, 10)
	for range 5 {
		n.later(900 * time.Millisecond)
		n.live.Charge()
		n.expect("stop", n.send("POST", "/apps/hour/session/"+string(c.Manifest)+"/stop", "", nil), http.StatusNoContent, "")
		n.expect("again", n.send("POST", "/apps/hour/session", "", n.paid(s, 0)), http.StatusOK, "")
	}
	if _, units := n.credited(payer, c.Manifest); units != 5 {
		t.Errorf("%d seconds were charged for five sessions", units)
	}
}

// TestFloodsOfChallenges: challenges cost nothing that stays: no account, no set of parameters, no slot.
func TestFloodsOfChallenges(t *testing.T) { // alone, because it measures the heap
	n := newShop(t)
	payer := n.payer(1)
	ask := func() {
		if a := n.send("POST", "/apps/hour/session", "", named(payer.Account)); a.status != http.StatusPaymentRequired {
			t.Fatal(a)
		}
	}
	ask()
	before := heap()
	for range 3000 {
		ask()
	}
	if grown := heap() - before; grown > 4<<20 {
		t.Errorf("3000 challenges hold %d bytes", grown)
	}
	if snap := n.pay.Snapshot(t.Context()); len(snap.Accounts) != 0 || snap.Sets != 0 || n.used("hour") != 0 {
		t.Errorf("challenges left %d accounts, %d sets", len(snap.Accounts), snap.Sets)
	}
	for _, body := range []string{"", "{", `{"sender":"x"}`, `{"sender":5}`, `[]`} {
		a := n.send("POST", "/refresh-payment", body, nil)
		if a.status != http.StatusBadRequest || !json.Valid([]byte(a.body)) {
			t.Errorf("%q: %+v", body, a)
		}
	}
	n.reserve("hour", payer, 10)
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
