package livepay

import (
	"context"
	"math/big"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/test/byoc"
)

// capabilityRig is a node on a chain with an external capability whose second costs secondPrice.
type capabilityRig struct {
	*node
	listener *byoc.Node
	worker   *byoc.Capability
	*byoc.Client
}

const (
	secondPrice  = 1_000_000_000
	insufficient = "Insufficient balance for request\n"
)

func newCapabilityRig(t *testing.T) *capabilityRig {
	t.Helper()
	r := &capabilityRig{node: newNode(t, secondPrice), worker: byoc.NewCapability(t)}
	r.listener = byoc.Start(t, byoc.NodeOptions{
		Rules: r.orch, Rate: func(u core.UnitPrice) (*big.Rat, bool) { return u.WeiPerPixel() },
	})
	r.Client = r.from("127.0.0.1", 9)
	if a := r.Register(byoc.Secret, "cap", r.worker.URL, 4, secondPrice); a.Status != http.StatusOK {
		t.Fatal(a)
	}
	return r
}

// from is a funded gateway with a key, at an address of this machine.
func (r *capabilityRig) from(address string, key byte) *byoc.Client {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	transport := &http.Transport{DialContext: dialer.DialContext}
	r.t.Cleanup(transport.CloseIdleConnections)
	a := newAccount(key)
	r.chain.fund(a.address())
	return &byoc.Client{T: r.t, URI: r.listener.URI, HTTP: &http.Client{Transport: transport}, Key: a.key}
}

func capabilityJob() byoc.Job {
	return byoc.Job{ID: "job", Request: `{"run":"x"}`, Parameters: "{}", Capability: "cap", Timeout: 3600}
}

func streamCall(id string) byoc.Job {
	return byoc.Job{ID: "call", Request: `{"stream_id":"` + id + `"}`, Capability: "cap", Timeout: 60}
}

// run sends a request, with a payment where there is one.
func (r *capabilityRig) run(c *byoc.Client, path string, j byoc.Job, payment string) byoc.Answer {
	r.t.Helper()
	headers := []string{"Livepeer", c.Header(j)}
	if payment != "" {
		headers = append(headers, "Livepeer-Payment", payment)
	}
	return c.Send("POST", path, "{}", headers...)
}

// account is what a gateway paid for the capability, was charged, and has left.
func (r *capabilityRig) account(c *byoc.Client) (credited pm.Value, units int64, left pm.Value) {
	return r.books.of(pm.Account{Sender: c.Account(), Key: pm.CapabilityKey("cap")})
}

// agrees compares the seconds charged, and the balance that a gateway gets, with the books.
func (r *capabilityRig) agrees(what, reported string, seconds int64) {
	r.t.Helper()
	credited, units, left := r.account(r.Client)
	if units != seconds || left.Cmp(credited.Sub(pm.Price{PerUnit: secondPrice, PixelsPerUnit: 1}.Of(seconds))) != 0 {
		r.t.Errorf("%s: %d seconds charged, want %d; %s of %s left", what, units, seconds, left, credited)
	}
	if reported != left.Floor().String() {
		r.t.Errorf("%s: the gateway sees a balance of %s, and has %s", what, reported, left)
	}
}

func (r *capabilityRig) is(what string, got byoc.Answer, status int, text string) {
	r.t.Helper()
	if got.Status != status || text != "" && got.Body != text {
		r.t.Errorf("%s: %d %q, want %d %q", what, got.Status, got.Body, status, text)
	}
}

func (r *capabilityRig) await(what string, ok func() bool) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), 20*time.Second)
	defer cancel()
	look := time.NewTicker(2 * time.Millisecond)
	defer look.Stop()
	for !ok() {
		select {
		case <-look.C:
		case <-ctx.Done():
			r.t.Fatal("waited in vain for ", what)
		}
	}
}

// TestCapabilityWorkIsPaid: a minute is paid before work begins, its seconds are charged as they begin, and what the
// gateway is reported agrees with the books to the wei.
func TestCapabilityWorkIsPaid(t *testing.T) {
	t.Parallel()
	r := newCapabilityRig(t)
	r.worker.Working = func(*http.Request) { r.later(2500 * time.Millisecond) }
	const path = "/process/request/run"
	r.is("no payment", r.run(r.Client, path, capabilityJob(), ""), 400, insufficient)
	r.is("less than a minute", r.run(r.Client, path, capabilityJob(), r.Paid("cap", 58)), 400, insufficient)
	r.is("no payment at all", r.run(r.Client, path, capabilityJob(), "!!"), 400, "")
	a := r.run(r.Client, path, capabilityJob(), r.Paid("cap", 20))
	r.is("paid", a, http.StatusOK, "")
	r.agrees("paid", a.Header.Get("Livepeer-Balance"), 3)
	a = r.run(r.Client, path, capabilityJob(), "")
	r.is("from the balance", a, http.StatusOK, "")
	r.agrees("from the balance", a.Header.Get("Livepeer-Balance"), 6)
	a = r.run(r.Client, "/process/request/break", capabilityJob(), "")
	r.is("a server that breaks off", a, 500, "")
	r.agrees("a server that breaks off", a.Header.Get("Livepeer-Balance"), 9)
	token, _ := r.Token("cap")
	r.agrees("a token", strconv.FormatInt(token.Balance, 10), 9)
	if debits := r.books.debits; debits[0].Pipeline != pm.LivePipeline || debits[0].Model != "cap" {
		t.Errorf("%+v", debits[0])
	}
}

// TestCapabilityCreditIsItsPayers: the headers of a job are the same at every orchestrator. Without fresh tickets they
// are worth nothing from another address, and with another account's signature nowhere.
func TestCapabilityCreditIsItsPayers(t *testing.T) {
	t.Parallel()
	r := newCapabilityRig(t)
	const path = "/process/request/run"
	payment := r.Paid("cap", 90)
	r.is("paid", r.run(r.Client, path, capabilityJob(), payment), http.StatusOK, "")
	_, charged, _ := r.account(r.Client)
	stranger := r.from("127.0.0.2", 9) // what it sends was its gateway's
	if token, _ := stranger.Token("cap"); token.Balance != 0 {
		t.Error("a stranger sees a balance of", token.Balance)
	}
	r.is("a header without a payment", r.run(stranger, path, capabilityJob(), ""), 400, insufficient)
	for _, from := range []*byoc.Client{stranger, r.Client} {
		r.is("a payment again", r.run(from, path, capabilityJob(), payment), 400, "")
	}
	forged := capabilityJob()
	forged.Sig = "0x" + strings.Repeat("11", 65)
	r.is("a forged signature", r.run(r.Client, path, forged, ""), 400, "Could not verify job creds\n")
	other := r.from("127.0.0.1", 8)
	j := capabilityJob()
	j.Sender = r.Account().String()
	r.is("another account's signature", r.run(other, path, j, ""), 400, "Could not verify job creds\n")
	r.is("another account", r.run(other, path, capabilityJob(), ""), 400, insufficient)
	// What a gateway signs for each orchestrator that it asks for an offer.
	j = capabilityJob()
	j.Request, j.Parameters = r.Account().String()[:1], r.Account().String()[1:]
	r.is("the signature of a request for an offer", r.run(r.Client, path, j, ""), 400, "")
	if _, units, _ := r.account(r.Client); units != charged {
		t.Errorf("%d seconds charged for strangers", units-charged)
	}
	r.is("its own", r.run(r.Client, path, capabilityJob(), ""), http.StatusOK, "")
	// Fresh tickets prove another address.
	moved := r.from("127.0.0.3", 9)
	r.is("paid from elsewhere", r.run(moved, path, capabilityJob(), moved.Paid("cap", 61)), http.StatusOK, "")
}

// TestCapabilityEventsArePaid: they are charged while they come, and end when the account is used up.
func TestCapabilityEventsArePaid(t *testing.T) {
	t.Parallel()
	r := newCapabilityRig(t)
	const path = "/process/request/sse"
	r.worker.Next = func(*http.Request) { r.later(3500 * time.Millisecond) }
	a := r.run(r.Client, path, capabilityJob(), r.Paid("cap", 100))
	r.is("events", a, http.StatusOK, "")
	_, _, left := r.account(r.Client)
	if want := `data: {"balance": ` + left.Rat().FloatString(3) +
		"}\n\n\ndata: [DONE]\n\n"; !strings.HasSuffix(a.Body, want) {
		t.Errorf("%q does not end with %q", a.Body, want)
	}
	r.agrees("events", left.Floor().String(), 4)
	r.worker.Next = func(req *http.Request) {
		r.later(time.Hour)
		<-req.Context().Done()
	}
	a = r.run(r.Client, path, capabilityJob(), "")
	r.is("too long", a, http.StatusOK, "")
	if !strings.Contains(a.Body, "event: insufficient balance\n") || strings.Contains(a.Body, "DONE") {
		t.Errorf("%q", a.Body)
	}
	if _, _, left := r.account(r.Client); left.Floor().Cmp(secondsWorth(-5).Floor()) != 0 {
		t.Errorf("%s left: an interval is owed", left)
	}
	r.worker.Working = func(req *http.Request) {
		r.later(time.Hour)
		<-req.Context().Done()
	}
	r.is("a plain answer", r.run(r.Client, "/process/request/run", capabilityJob(), r.Paid("cap", 65)), 400, insufficient)
	if seen := r.worker.Seen(); seen[len(seen)-1].Path != "/run" {
		t.Error("the work did not begin")
	}
}

// TestCapabilityStreamsArePaid: a stream goes on while it is paid, by its gateway alone, and ends everywhere when it is
// not.
func TestCapabilityStreamsArePaid(t *testing.T) {
	t.Parallel()
	r := newCapabilityRig(t)
	start := byoc.Job{
		ID: "mine", Request: "{}", Parameters: `{"enable_video_ingress":true}`, Capability: "cap", Timeout: 60,
	}
	r.is("no payment", r.run(r.Client, "/ai/stream/start", start, ""), 402, insufficient)
	a := r.run(r.Client, "/ai/stream/start", start, r.Paid("cap", 70))
	r.is("start", a, http.StatusOK, "")
	charged := func() int64 { _, units, _ := r.account(r.Client); return units }
	r.later(50 * time.Second)
	r.await("the charge", func() bool { return charged() == 50 })
	const pay = "/ai/stream/payment"
	other := r.from("127.0.0.1", 8)
	r.is("another account's", r.run(other, pay, streamCall("mine"), other.Paid("cap", 60)), 404, "")
	r.is("another stream", r.run(r.Client, pay, streamCall("other"), ""), 404, "")
	a = r.run(r.Client, pay, streamCall("mine"), r.Paid("cap", 60))
	r.is("a payment", a, http.StatusOK, "")
	r.agrees("a payment", a.Header.Get("Livepeer-Balance"), 50)
	moved := r.from("127.0.0.3", 9)
	r.is("from elsewhere", r.run(moved, "/ai/stream/update", streamCall("mine"), ""), 404, "")
	r.is("paid from elsewhere", r.run(moved, pay, streamCall("mine"), moved.Paid("cap", 1)), http.StatusOK, "")
	r.is("updated from there", r.run(moved, "/ai/stream/update", streamCall("mine"), ""), http.StatusOK, "")
	// At another price, what runs goes on at its own.
	r.is("register", r.Register(byoc.Secret, "cap", r.worker.URL, 4, 3*secondPrice), http.StatusOK, "ok")
	r.is("at the new price", r.run(r.Client, pay, streamCall("mine"), r.Paid("cap", 1)), http.StatusOK, "")
	r.later(10 * time.Second)
	r.await("the charge", func() bool { return charged() == 60 })
	r.later(time.Hour)
	r.await("the end", func() bool {
		seen := r.worker.Seen()
		return seen[len(seen)-1].Path == "/stream/stop" && r.listener.Capabilities.Streams() == 0 &&
			r.listener.Hub.Len() == 0
	})
	if _, _, left := r.account(r.Client); left.Cmp(secondsWorth(-5)) < 0 {
		t.Errorf("%s left: more than an interval is owed", left)
	}
}
