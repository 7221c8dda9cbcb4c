package remotesigner_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/test/coretest"
)

// video is a request for live video: 60 seconds of pixels at a price.
func video(t testing.TB, price int64) map[string]any {
	return map[string]any{"ManifestID": "m", "type": "lv2v",
		"orchestrator": offer(t, func(m *rpc.OrchestratorInfo) { m.PriceInfo.PricePerUnit = price })}
}

// What was paid is what was worked for, to the wei: the credit in the state is the tickets' worth less the fees, it is
// never negative and always less than one ticket.
func TestCreditOfASession(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		r := begin(t, t.TempDir(), change{})
		defer r.close()
		price := rapid.Int64Range(1, 200_000_000_000).Draw(rt, "price")
		terms := offer(t, func(m *rpc.OrchestratorInfo) { m.PriceInfo.PricePerUnit = price })
		var paid, fees pm.Value
		var last *state
		at := start
		for i := range rapid.IntRange(1, 8).Draw(rt, "payments") {
			a := r.ask(t, map[string]any{"orchestrator": terms, "ManifestID": "m", "type": "live", "state": last})
			seconds := int64(10)
			if i > 0 {
				seconds = int64((r.clock.Now().Sub(at) + time.Second - 1) / time.Second)
			}
			if a.status == 200 {
				p := a.payment(t)
				paid = paid.Add(p.Params.EV().Times(int64(len(p.Tickets))))
				fees = fees.Add(pm.Price{PerUnit: price, PixelsPerUnit: 1}.Of(seconds))
				s := a.decoded(t)
				left, _ := new(big.Rat).SetString(s.Balance)
				if pm.ValueOf(left).Cmp(paid.Sub(fees)) != 0 || left.Sign() < 0 ||
					pm.ValueOf(left).Cmp(p.Params.EV()) >= 0 {
					rt.Fatalf("credit %s, paid %s for %s", s.Balance, paid, fees)
				}
				at, last = r.clock.Now(), a.body.State
			} else if a.status != 482 {
				rt.Fatalf("%d %s", a.status, a.error)
			}
			r.clock.Forward(time.Duration(rapid.Int64Range(0, 9_000).Draw(rt, "ms")) * time.Millisecond)
		}
	})
}

// A state pays once: sent again it gets the same tickets, and an older one is refused.
func TestAStatePaysOnce(t *testing.T) {
	t.Parallel()
	r := begin(t, t.TempDir(), change{})
	ask := func(s *state) answer {
		return r.ask(t, map[string]any{"orchestrator": offer(t, nil), "ManifestID": "m", "type": "live", "state": s})
	}
	first := ask(nil)
	r.clock.Forward(5 * time.Second)
	var wg sync.WaitGroup
	answers := make([]answer, 16)
	for i := range answers {
		wg.Go(func() { answers[i] = ask(first.body.State) })
	}
	wg.Wait()
	for _, a := range answers[1:] {
		if a.text != answers[0].text {
			t.Fatalf("two payments for one state:\n%s\n%s", a.text, answers[0].text)
		}
	}
	r.clock.Forward(5 * time.Second)
	if again := ask(first.body.State); again.text != answers[0].text {
		t.Error("a state that was used gets another payment")
	}
	third := ask(answers[0].body.State)
	if third.status != 200 {
		t.Fatal(third.error)
	}
	if old := ask(first.body.State); old.status != 400 || old.error != "invalid state" {
		t.Errorf("an older state: %d %s", old.status, old.error)
	}
	if n := third.payment(t).Tickets[0].Nonce; n <= answers[0].payment(t).Tickets[0].Nonce {
		t.Errorf("nonce %d again", n)
	}
}

// Nonces are signed once, also over restarts that forget which states were used.
func TestNoncesAreSignedOnce(t *testing.T) {
	t.Parallel()
	dir, seen := t.TempDir(), make(map[uint32]bool)
	fields := func(s *state) map[string]any {
		return map[string]any{"orchestrator": offer(t, nil), "ManifestID": "m", "type": "live", "state": s}
	}
	var first *state
	for range 3 {
		r := begin(t, dir, change{})
		if first == nil {
			a := r.ask(t, fields(nil))
			for _, ticket := range a.payment(t).Tickets {
				seen[ticket.Nonce] = true
			}
			first = a.body.State
		}
		r.clock.Set(start.Add(5 * time.Second))
		a := r.ask(t, fields(first))
		for _, ticket := range a.payment(t).Tickets {
			if seen[ticket.Nonce] {
				t.Errorf("nonce %d was signed twice", ticket.Nonce)
			}
			seen[ticket.Nonce] = true
		}
		r.close()
	}
}

// A daily limit holds over sessions, states without a webhook's name, restarts, and clocks that go back.
func TestDailyLimit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := begin(t, dir, change{limit: "3000000000000"}) // a first payment is worth 1.4e12
	fields := map[string]any{"orchestrator": offer(t, nil), "type": "live"}
	for i, want := range []int{200, 200, 429, 429} {
		// A caller that names itself gets no budget of its own.
		if a := r.ask(t, fields, "Signer-Auth-Id", fmt.Sprint("me", i)); a.status != want {
			t.Errorf("payment %d: %d %s", i, a.status, a.error)
		}
	}
	r.close()
	r = begin(t, dir, change{limit: "3000000000000"})
	if a := r.ask(t, fields); a.status != 429 || a.error != "the daily limit of this auth id is reached" {
		t.Errorf("after a restart: %d %s", a.status, a.error)
	}
	r.clock.Forward(-48 * time.Hour)
	if a := r.ask(t, fields); a.status != 429 {
		t.Errorf("with a clock that went back: %d %s", a.status, a.error)
	}
	r.close()
	r = begin(t, dir, change{limit: "3000000000000", clock: r.clock})
	for _, later := range []time.Duration{0, 2 * time.Hour} {
		r.clock.Forward(later)
		if a := r.ask(t, fields); a.status != 429 {
			t.Errorf("with a clock that went back, %v after a restart: %d %s", later, a.status, a.error)
		}
	}
	r.clock.Forward(-2 * time.Hour)
	r.clock.Forward(49*time.Hour + 16*time.Hour)
	if a := r.ask(t, map[string]any{"type": "live", "orchestrator": offer(t, func(m *rpc.OrchestratorInfo) {
		m.AuthToken.Expiration += 3600 * 48
	})}); a.status != 200 {
		t.Errorf("the next day: %d %s", a.status, a.error)
	}
}

// A clock that is set makes no session pay for time that did not pass, nor for none.
func TestSessionsOfAClockThatIsSet(t *testing.T) {
	t.Parallel()
	for _, set := range []time.Duration{20 * time.Minute, -20 * time.Minute} {
		var passed time.Duration
		c := change{clock: coretest.NewClock(start), elapsed: func() time.Duration { return passed }}
		r := begin(t, t.TempDir(), c)
		fields := map[string]any{"type": "live", "ManifestID": "m", "orchestrator": offer(t, nil)}
		first := r.ask(t, fields)
		before := first.decoded(t)
		c.clock.Forward(set)
		passed = 30 * time.Second
		fields["state"] = first.body.State
		second := r.ask(t, fields)
		after := second.decoded(t)
		paid := second.payment(t)
		old, _ := before.Left()
		left, _ := after.Left()
		cost := old.Add(paid.Params.EV().Times(int64(len(paid.Tickets)))).Sub(left)
		price := pm.Price{PerUnit: after.InitialPricePerUnit, PixelsPerUnit: after.InitialPixelsPerUnit}
		if !cost.Equal(price.Of(30)) {
			t.Errorf("set by %v: 30 seconds cost %s wei, want %s", set, cost, price.Of(30))
		}
	}
}

// The lowest ceiling counts: the operator's, the caller's, the session's first price.
func TestCeilings(t *testing.T) {
	t.Parallel()
	r := begin(t, t.TempDir(), change{caps: caps{video: big.NewRat(100, 1)}})
	a := r.ask(t, video(t, 101))
	if a.status != 481 || a.error != "orchestrator price 101.000 exceeds signer maximum price ceiling 100.000" {
		t.Errorf("the operator's: %d %s", a.status, a.error)
	}
	fields := video(t, 80)
	fields["maxPrice"] = map[string]any{"price": 79.5, "currency": "wei", "unit": "720p-pixel-seconds"}
	if a = r.ask(t, fields); a.status != 481 ||
		a.error != "orchestrator price 80.000 exceeds request maxPrice ceiling 79.500" {
		t.Errorf("the caller's: %d %s", a.status, a.error)
	}
	r = begin(t, t.TempDir(), change{})
	first := r.ask(t, map[string]any{"ManifestID": "m", "inPixels": 5, "orchestrator": offer(t, nil)})
	dearer := offer(t, func(m *rpc.OrchestratorInfo) { m.PriceInfo.PricePerUnit++ })
	a = r.ask(t, map[string]any{"ManifestID": "m", "inPixels": 5, "orchestrator": dearer, "state": first.body.State})
	if a.status != 481 || a.error != "orchestrator price 138888888889.000 exceeds session ceiling 138888888888.000" {
		t.Errorf("the session's: %d %s", a.status, a.error)
	}
	for _, price := range []string{`1e999999999`, `-1`, `0`, `"x"`, `1/0`} {
		text := fmt.Sprintf(
			`{"type":"live","orchestrator":%s,"maxPrice":{"price":%s,"currency":"wei","unit":"seconds"}}`,
			mustJSON(offer(t, nil)),
			price,
		)
		if a := r.post(t, "/generate-live-payment", []byte(text)); a.status != 400 {
			t.Errorf("maxPrice %s: %d %s", price, a.status, a.error)
		}
	}
}

func mustJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// Terms that have worn out are to be requested again: the token's end, the nonces' end, the parameters' end.
func TestRefresh(t *testing.T) {
	t.Parallel()
	r := begin(t, t.TempDir(), change{})
	refused := func(what string, a answer) {
		t.Helper()
		if a.status != 480 || a.error != "refresh session for remote signer" ||
			a.header.Get("Livepeer-Orchestrator-Url") != "http://127.0.0.1:34120" {
			t.Errorf("%s: %d %s %v", what, a.status, a.error, a.header)
		}
	}
	refused("an old token", r.ask(t, map[string]any{"type": "live", "orchestrator": offer(t,
		func(m *rpc.OrchestratorInfo) { m.AuthToken.Expiration = start.Unix() })}))
	refused("old parameters", r.ask(t, map[string]any{"type": "live", "orchestrator": offer(t,
		func(m *rpc.OrchestratorInfo) { m.TicketParams.ExpirationBlock = big.NewInt(layer1).Bytes() })}))
	var a answer
	for range 60 { // each takes 14 tickets
		if a = r.ask(t, map[string]any{"type": "live", "orchestrator": offer(t, nil)}); a.status != 200 {
			break
		}
	}
	refused("used parameters", a)
}

// hook is an operator's service.
type hook struct {
	*httptest.Server
	answer atomic.Pointer[string]
	asked  atomic.Int32
	last   atomic.Pointer[map[string]any]
}

func newHook(t *testing.T) *hook {
	h := new(hook)
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.asked.Add(1)
		var question map[string]any
		if err := json.NewDecoder(r.Body).Decode(&question); err != nil || r.Header.Get("X-Key") != "hush" {
			t.Error(err, r.Header)
		}
		h.last.Store(&question)
		_, _ = w.Write([]byte(*h.answer.Load()))
	}))
	t.Cleanup(h.Close)
	return h
}

func (h *hook) says(answer string) { h.answer.Store(&answer) }

// The operator's service admits sessions, names who pays, bounds prices, and is not asked again before its answer ends.
func TestWebhook(t *testing.T) {
	t.Parallel()
	h := newHook(t)
	r := begin(t, t.TempDir(), change{webhook: h.URL, header: http.Header{"X-Key": {"hush"}}})
	ask := func(s *state) answer {
		return r.ask(t, map[string]any{"orchestrator": offer(t, nil), "ManifestID": "m", "type": "live", "state": s},
			"X-Customer", "c1", "Signer-Auth-Id", "mine")
	}
	for _, c := range []struct {
		says   string
		status int
		text   string
	}{
		{`{"status":403,"reason":"no such customer"}`, 403, "no such customer"},
		{`{"status":200,"maxPrice":{"price":1,"currency":"wei","unit":"seconds"}}`, 481,
			"orchestrator price 138888888888.000 exceeds webhook maxPrice ceiling 1.000"},
		{`{"status":200,"maxPrice":{"price":1,"currency":"eur","unit":"seconds"}}`, 502,
			"the webhook's maxPrice.currency must be wei"},
	} {
		h.says(c.says)
		if a := ask(nil); a.status != c.status || a.error != c.text {
			t.Errorf("%s: %d %s", c.says, a.status, a.error)
		}
	}
	for _, says := range []string{`{`, `{}`, `{"status":302}`, `[]`} {
		h.says(says)
		if a := ask(nil); a.status < 500 {
			t.Errorf("%s: %d %s", says, a.status, a.error)
		}
	}
	h.says(fmt.Sprintf(`{"status":200,"auth_id":"customer 1","expiry":%d}`, start.Unix()+5))
	first := ask(nil)
	if s := first.decoded(t); s.AuthID != "customer 1" || s.OwnAuthID {
		t.Errorf("%+v", s)
	}
	q := *h.last.Load()
	if header, ok := q["headers"].(map[string]any); !ok || fmt.Sprint(header["X-Customer"]) != "[c1]" {
		t.Errorf("the service was shown %v", q["headers"])
	}
	if text := fmt.Sprint(q["state"]); text == "" || q["state"] == nil {
		t.Error("the service was shown no state")
	}
	asked := h.asked.Load()
	r.clock.Forward(5 * time.Second)
	second := ask(first.body.State)
	if second.status != 200 || h.asked.Load() != asked {
		t.Errorf("%d %s, asked %d times more", second.status, second.error, h.asked.Load()-asked)
	}
	r.clock.Forward(5 * time.Second)
	h.says(`{"status":200,"auth_id":"customer 2"}`)
	if a := ask(second.body.State); a.status != 500 || a.error != "remote signer auth ID changed" {
		t.Errorf("another name: %d %s", a.status, a.error)
	}
	h.Close()
	if a := ask(second.body.State); a.status < 500 {
		t.Errorf("without the service: %d", a.status)
	}
}

// A page of another site, or a name that points here, gets nothing signed.
func TestPagesOfOtherSites(t *testing.T) {
	t.Parallel()
	r := begin(t, t.TempDir(), change{})
	fields := map[string]any{"orchestrator": offer(t, nil), "type": "live"}
	for _, header := range [][]string{{"Origin", "https://evil.example"}, {"Sec-Fetch-Site", "cross-site"},
		{"Referer", "https://evil.example/x"}} {
		if a := r.ask(t, fields, header...); a.status != 403 {
			t.Errorf("%v: %d", header, a.status)
		}
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.URL+"/sign-orchestrator-info", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = "rebound.example"
	resp, err := r.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != 403 {
		t.Errorf("a rebound name: %d", resp.StatusCode)
	}
}

// While the operator's service fails, or refuses by its own status, requests of strangers have few lines in the log.
func TestRefusedCallersDoNotFillTheLog(t *testing.T) {
	t.Parallel()
	const requests, few = 100, 20
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusForbidden)
	}))
	defer h.Close()
	var log bytes.Buffer // one request after another
	r := begin(t, t.TempDir(), change{webhook: h.URL, log: &log})
	for range requests {
		if a := r.post(t, "/sign-segment", []byte(`{"description":"AAAA"}`)); a.status < 500 {
			t.Fatal(a.status, a.text)
		}
	}
	r.close()
	if n := strings.Count(log.String(), "payment not signed"); n == 0 || n > few {
		t.Errorf("%d lines", n)
	}
}

// A proxy brings callers by the name that they know: a signer with a webhook is reached by it, but not from pages of
// other sites. Without one a name may be a page's that DNS points here.
func TestNamesOfAProxy(t *testing.T) {
	t.Parallel()
	known := begin(t, t.TempDir(), change{webhook: "http://127.0.0.1:1"})
	open := begin(t, t.TempDir(), change{open: true})
	for _, c := range []struct {
		to   *rig
		site string
		want int
	}{{known, "", 200}, {known, "cross-site", 403}, {open, "", 403}} {
		r, site, want := c.to, c.site, c.want
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.URL+"/sign-orchestrator-info", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = "signer.example.org"
		if site != "" {
			req.Header.Set("Sec-Fetch-Site", site)
		}
		resp, err := r.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%q: %d, want %d", site, resp.StatusCode, want)
		}
	}
}

// Bodies that are long, or no request, cost little and name their problem.
func FuzzPaymentRequest(f *testing.F) {
	r := begin(f, f.TempDir(), change{limit: "1000000000000000"})
	f.Add([]byte(mustJSON(map[string]any{"orchestrator": offer(f, nil), "type": "live", "ManifestID": "m"})))
	f.Add([]byte(`{"orchestrator":"AAAA","state":{"State":"e30=","Sig":"AA=="}}`))
	f.Add([]byte(`{"maxPrice":{"price":"1e9"}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		if a := r.post(t, "/generate-live-payment", body); a.status >= 500 || a.status != 200 && a.error == "" {
			t.Errorf("%d %s", a.status, a.text)
		}
	})
}
