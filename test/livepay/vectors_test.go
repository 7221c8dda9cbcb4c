package livepay

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/server/rpc"
)

// recording is one recorded request and its answer.
type recording struct {
	What    string `json:"what"`
	Request struct {
		Line string `json:"line"`
	} `json:"request"`
	Response struct {
		Status  string            `json:"status"`
		Headers map[string]string `json:"headers"`
		Body    json.RawMessage   `json:"body"`
	} `json:"response"`
	// Seconds is when a session without a further payment was released.
	Seconds float64 `json:"seconds_after_reserve"`
}

// recordedRig is the node of the recordings, whose tickets are worth 1e11 wei.
type recordedRig struct {
	*node
	calls map[string]recording
	// ids are this node's, by the recordings' names.
	ids     map[string]string
	replays int
}

var recordedID = regexp.MustCompile(`<(mid|secret-52)-\d>`)

func newRecordedRig(t *testing.T) *recordedRig {
	t.Helper()
	data, err := os.ReadFile("../vectors/live/live_paid.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Exchanges []recording `json:"exchanges"`
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	r := &recordedRig{node: newNode(t, 1e11), calls: make(map[string]recording), ids: make(map[string]string)}
	for _, e := range doc.Exchanges {
		r.calls[e.What] = e
	}
	return r
}

// replay sends a recorded request with this node's headers, and compares the answer with the recorded one.
func (r *recordedRig) replay(what string, headers http.Header, body string) answer {
	r.t.Helper()
	e, ok := r.calls[what]
	if !ok {
		r.t.Fatalf("%q is not recorded", what)
	}
	r.replays++
	line := strings.Fields(r.fill(e.Request.Line))
	got := r.send(line[0], line[1], body, headers)
	if want := strings.Fields(e.Response.Status)[1]; want != jsonText(got.status) {
		r.t.Errorf("%s: status %d %q, want %s", what, got.status, got.body, want)
	}
	r.compareHeaders(what, &e, got)
	r.compare(what, e.Response.Body, got.body)
	return got
}

// compareHeaders compares the recorded headers. Bodies with ids, addresses or a payment have another length.
func (r *recordedRig) compareHeaders(what string, e *recording, got answer) {
	r.t.Helper()
	varies := strings.ContainsAny(string(e.Response.Body), "<…") || strings.Contains(string(e.Response.Body), "orch.test")
	for k, want := range e.Response.Headers {
		if have := got.header.Get(k); have != want && (k != "Content-Length" || !varies) {
			r.t.Errorf("%s: %s: %q, want %q", what, k, have, want)
		}
	}
	for k := range got.header {
		// Tutti-Code is the code of the error.
		if _, there := e.Response.Headers[k]; !there && k != "Date" && k != "Tutti-Code" {
			r.t.Errorf("%s: %s: %q is not recorded", what, k, got.header[k])
		}
	}
}

func jsonText(v any) string {
	data, _ := json.Marshal(v)
	return string(data)
}

func (r *recordedRig) fill(text string) string {
	return recordedID.ReplaceAllStringFunc(text, func(name string) string {
		if id := r.ids[name]; id != "" {
			return id
		}
		return strings.Trim(name, "<>")
	})
}

// compare compares bodies: texts, and the fields of JSON. What was cut or is random is not compared.
func (r *recordedRig) compare(what string, want json.RawMessage, got string) {
	r.t.Helper()
	var text string
	if json.Unmarshal(want, &text) == nil {
		if !strings.HasPrefix(text, "<protobuf") && !strings.Contains(text, "senderNonce") && got != r.fill(text) {
			r.t.Errorf("%s: %q, want %q", what, got, text)
		}
		return
	}
	var wanted, have any
	if err := json.Unmarshal([]byte(r.fill(string(want))), &wanted); err != nil {
		r.t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(got), &have); err != nil {
		r.t.Errorf("%s: %q is not JSON", what, got)
		return
	}
	r.same(what, wanted, have)
}

func (r *recordedRig) same(what string, want, have any) {
	r.t.Helper()
	switch w := want.(type) {
	case map[string]any:
		h, ok := have.(map[string]any)
		if !ok || len(h) != len(w) {
			r.t.Errorf("%s: %v, want %v", what, have, want)
			return
		}
		for k := range w {
			r.same(what+" "+k, w[k], h[k])
		}
	case string:
		h, ok := have.(string)
		if !ok || !strings.Contains(w, "mid-") && !strings.Contains(w, "…") && h != w {
			r.t.Errorf("%s: %v, want %v", what, have, want)
		}
	default:
		if !reflect.DeepEqual(want, have) {
			r.t.Errorf("%s: %v, want %v", what, have, want)
		}
	}
}

// TestRecordedPayments replays what was recorded of paid sessions, with payments of the test's own: those
// of the recording are for another chain.
func TestRecordedPayments(t *testing.T) {
	t.Parallel()
	r := newRecordedRig(t)
	begun, release := make(chan struct{}, 1), make(chan struct{})
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		switch {
		case strings.HasSuffix(q.URL.Path, "/echo"):
			echo(w, q)
		case strings.HasSuffix(q.URL.Path, "/hold"):
			begun <- struct{}{}
			<-release
		}
	}))
	t.Cleanup(app.Close)
	base := `"routing":"label","health_url":"` + app.URL + `/health","runner_url":"` + app.URL + `/f"`
	r.register(`{"label":"hour","app":"demo/hour","capacity":3,"price_info":{"price":1.5},` + base + `},
		{"label":"fix","app":"demo/fixed","mode":"single-shot","capacity":2,"price_info":{"price":0.001,"unit":"fixed"},` +
		base + `},{"label":"px","app":"demo/720p","price_info":{"price":1.5,"unit":"720p"},` + base + `}`)
	r.discovery()
	r.timed()
	r.fixed(begun, release)
	if r.replays != 23 {
		t.Errorf("%d requests were replayed", r.replays)
	}
}

// echo answers as the recorded runner: with what it got.
func echo(w http.ResponseWriter, q *http.Request) {
	body, _ := io.ReadAll(q.Body)
	headers := map[string]string{"Host": q.Host}
	for k := range q.Header {
		headers[k] = q.Header.Get(k)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Server", "BaseHTTP/0.6 Python/3.11.7")
	w.Header().Set("X-Runner", "yes")
	_ = json.NewEncoder(w).Encode(map[string]any{"method": q.Method, "path": q.URL.RequestURI(), "body": string(body),
		"headers": headers})
}

// discovery compares the runners' entries, whose order is random.
func (r *recordedRig) discovery() {
	r.t.Helper()
	type list []struct {
		Runners []map[string]any `json:"runners"`
	}
	var want, got list
	if err := json.Unmarshal(r.calls["discovery with prices"].Response.Body, &want); err != nil {
		r.t.Fatal(err)
	}
	e := r.calls["discovery with prices"]
	a := r.send("GET", "/discovery", "", nil)
	if err := json.Unmarshal([]byte(a.body), &got); err != nil || a.status != http.StatusOK {
		r.t.Fatal(a, err)
	}
	r.compareHeaders(e.What, &e, a)
	r.replays++
	if len(got[0].Runners) != len(want[0].Runners) {
		r.t.Errorf("%v, want %v", got, want)
	}
	for _, w := range want[0].Runners {
		found := false
		for _, g := range got[0].Runners {
			found = found || jsonText(g) == jsonText(w)
		}
		if !found {
			r.t.Errorf("no runner %v in %v", w, got)
		}
	}
}

// timed is the recording's session that is charged by the second.
func (r *recordedRig) timed() {
	r.t.Helper()
	payer := r.payer(1)
	r.replay("no payer named", nil, "")
	r.replay("payer is no address", http.Header{"Livepeer-Payer-Address": {"xyz"}}, "")
	r.replay("payer without deposit", named(core.Address{9}), "")
	r.replay("challenge (unit seconds)", named(payer.Account), "")
	c, s := r.challenge("POST", "/apps/hour/session", payer)
	r.ids["<mid-1>"] = string(c.Manifest)
	if want := service + "/apps/hour/session/" + string(c.Manifest) + "/payment"; c.PaymentURL != want {
		r.t.Errorf("payment url %s, want %s", c.PaymentURL, want)
	}
	first := r.paid(s, 10) // 14 tickets, as recorded
	if tickets := s.Paid().Rat(); tickets.Quo(tickets, big.NewRat(1e11, 1)).FloatString(6) != "14.000000" {
		r.t.Errorf("10 seconds were paid with %s wei", s.Paid())
	}
	r.replay("reserve with both headers", first, "")
	r.replay("the same again", first, "")
	one := make(http.Header)
	one.Set(rpc.PaymentHeader, first.Get(rpc.PaymentHeader))
	r.replay("only the payment header", one, "")
	bad := first.Clone()
	bad.Set(rpc.PaymentHeader, "@")
	r.replay("payment not base64", bad, "")
	r.replay("reserve with it", r.forManifest(first, payer, "deadbeef"), "")
	more := r.paid(s, 2)
	if err := s.Answered([]byte(r.replay("pay on", more, "").body)); err != nil {
		r.t.Error(err)
	}
	r.replay("a payment for another session", r.forManifest(more, payer, "deadbeef"), "")
	r.replay("pay a session that is not there", more, "")
	refresh := jsonText(map[string]any{"sender": payer.Account.String(), "manifest_id": c.Manifest})
	var again challenge
	if err := json.Unmarshal([]byte(r.replay("refresh-payment", nil, refresh).body), &again); err != nil ||
		s.Refresh(again.Params) != nil {
		r.t.Errorf("%+v: %v", again, err)
	}
	r.replay("refresh-payment for a session without price", nil,
		jsonText(map[string]any{"sender": payer.Account.String(), "manifest_id": "nope"}))
	r.replay("challenge (unit 720p-pixel-seconds)", named(payer.Account), "")
	other := r.forManifest(r.paid(s, 0), payer, "cafe0001")
	r.replay("POST /payment for a manifest id that no session has: taken", other, "")
	r.released(c.Manifest)
}

// released waits out what was paid for: the recorded session ended at the third interval too.
func (r *recordedRig) released(manifest core.ManifestID) {
	r.t.Helper()
	r.replays++
	interval := 5 * time.Second
	after := r.calls["the session is released when the balance is below the fee of the interval"].Seconds
	for i := range int(after / interval.Seconds()) {
		use := r.send("GET", "/apps/hour/session/"+string(manifest)+"/app/x", "", nil)
		if use.status != http.StatusOK {
			r.t.Errorf("interval %d: %+v", i, use)
		}
		r.later(interval)
		r.live.Charge()
	}
	r.expect("the session of which the balance is out",
		r.send("GET", "/apps/hour/session/"+string(manifest)+"/app/x", "", nil), http.StatusNotFound,
		"runner session not found\n")
}

// fixed is the recording's runner with one price for a call.
func (r *recordedRig) fixed(begun, release chan struct{}) {
	r.t.Helper()
	payer := r.payer(1)
	r.replay("fixed, single-shot: challenge", named(payer.Account), "")
	c, s := r.challenge("GET", "/apps/fix/app/echo", payer)
	r.ids["<mid-2>"] = string(c.Manifest)
	h := r.paid(s, 1)
	r.call(h)
	again := r.replay("fixed: same payment again", h, "")
	if !strings.HasPrefix(again.body, "invalid ticket senderNonce: already seen sender=") {
		r.t.Error(again.body)
	}
	_, hour := r.challenge("POST", "/apps/hour/session", payer)
	r.replay("price mismatch: payment of the hour runner on the fixed one", r.paid(hour, 10), "")

	c, s = r.challenge("GET", "/apps/fix/app/hold", payer)
	done := make(chan answer, 1)
	h = r.paid(s, 1)
	go func() { done <- r.send("GET", "/apps/fix/app/hold", "", h) }()
	<-begun
	e := r.calls["fixed: follow-up payment while it runs"]
	e.Request.Line = "POST /apps/fix/session/" + string(c.Manifest) + "/payment HTTP/1.1"
	r.calls[e.What] = e
	r.replay(e.What, r.paid(s, 0), "")
	close(release)
	r.expect("the call itself", <-done, http.StatusOK, "")
}

// call is the recorded call with a payment. The recorded runner saw the payment too, which is for the node alone.
func (r *recordedRig) call(h http.Header) {
	r.t.Helper()
	r.replays++
	e := r.calls["fixed: call with payment (see what reaches the runner)"]
	got := r.send("GET", "/apps/fix/app/echo", "", h)
	if want := strings.Fields(e.Response.Status)[1]; want != jsonText(got.status) {
		r.t.Errorf("%s: %d %q", e.What, got.status, got.body)
	}
	r.compareHeaders(e.What, &e, got)
	type seen struct {
		Method, Path, Body string
		Headers            map[string]string
	}
	var want, have seen
	if json.Unmarshal([]byte(r.fill(string(e.Response.Body))), &want) != nil ||
		json.Unmarshal([]byte(got.body), &have) != nil {
		r.t.Fatal(got.body)
	}
	if token := have.Headers["Livepeer-Session-Token"]; len(token) != 52 {
		r.t.Errorf("token %q", token)
	}
	for _, k := range []string{rpc.PaymentHeader, rpc.SegmentHeader, "Livepeer-Session-Token", "Accept-Encoding", "Host"} {
		delete(want.Headers, k)
	}
	for _, k := range []string{"User-Agent", "Livepeer-Session-Token", "Accept-Encoding", "Host"} {
		delete(have.Headers, k)
	}
	if !reflect.DeepEqual(have, want) {
		r.t.Errorf("%s: the runner saw %+v, want %+v", e.What, have, want)
	}
}

// TestRecordedBytes reads the recorded challenge, and checks the recorded payment's signatures.
func TestRecordedBytes(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../vectors/live/live_paid_bytes.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Challenge challenge `json:"challenge"`
		Signer    struct {
			Payment  string `json:"payment"`
			SegCreds string `json:"segCreds"`
		} `json:"signer_answer"`
		Result  string    `json:"payment_result_b64"`
		Refresh challenge `json:"refresh_payment"`
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	a := newAccount(1)
	p := payerOf(a)
	s, err := p.Open(doc.Challenge.Params, doc.Challenge.Manifest)
	if err != nil {
		t.Fatal(err)
	}
	if s.Price().PerUnit != 138888888888 {
		t.Error(s.Price())
	}
	result, err := base64.StdEncoding.DecodeString(doc.Result)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Answered(result); err != nil {
		t.Error(err)
	}
	if err := s.Refresh(doc.Refresh.Params); err != nil {
		t.Error(err)
	}
	// The credentials pass the check of signatures, and then the token is another node's.
	n := newNode(t, 1e11)
	r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, service, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set(rpc.PaymentHeader, doc.Signer.Payment)
	r.Header.Set(rpc.SegmentHeader, doc.Signer.SegCreds)
	if _, err := n.wall.Read(r); err == nil || !strings.Contains(err.Error(), "InvalidAuthToken") {
		t.Error(err)
	}
}
