package remotesigner_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/server/rpc"
)

// recordedCall is one recorded request and its answer, or what was decoded of one.
type recordedCall struct {
	What    string
	Request struct {
		Line string
		Body json.RawMessage
	}
	Response struct {
		Status  string
		Headers map[string]string
		Body    json.RawMessage
	}
	State map[string]any
}

// fixedPrice is that of the recorded runner with one price for a call: 0.001 dollars, of which an ETH has 3000.
const fixedPrice = 333_333_333_333

// recordedCalls plays a signer's part of the recorded payments.
type recordedCalls struct {
	*rig
	bytes *bytesVector
	// states are the latest by manifest.
	states map[string]*state
	// last is the latest answer with a payment.
	last answer
}

// Every recorded request to a signer gets the recorded answer: refusals byte by byte, payments of the recorded length,
// which says how many tickets they have, and the recorded state.
func TestRecordedAnswers(t *testing.T) {
	t.Parallel()
	var doc struct{ Exchanges []recordedCall }
	recorded(t, "live_paid.json", &doc)
	r := &recordedCalls{rig: begin(t, t.TempDir(), change{}), bytes: recordedBytes(t), states: make(map[string]*state)}
	played := 0
	for i := range doc.Exchanges {
		e := &doc.Exchanges[i]
		switch e.Request.Line {
		case "POST /generate-live-payment HTTP/1.1":
			r.payment(t, e)
		case "POST /sign-orchestrator-info HTTP/1.1":
			r.info(t, e)
		default:
			if e.State != nil {
				r.sameState(t, e.State)
			}
			continue // the orchestrator's
		}
		played++
	}
	if played != 24 {
		t.Errorf("%d requests were replayed", played)
	}
}

// payment replays a request for a payment.
func (r *recordedCalls) payment(t *testing.T, e *recordedCall) {
	t.Helper()
	var in struct{ ManifestID string }
	_ = json.Unmarshal(e.Request.Body, &in) // some are none
	terms, last := r.bytes.Challenge.Params, r.states["<mid-1>"]
	switch {
	case strings.Contains(e.What, "fixed"):
		terms = offer(t, func(m *rpc.OrchestratorInfo) { m.PriceInfo.PricePerUnit = fixedPrice })
	case e.What == "S: credit is left": // after a payment of another kind, at a low price
		terms = offer(t, func(m *rpc.OrchestratorInfo) { m.PriceInfo.PricePerUnit = 1 })
		a := r.ask(t, map[string]any{"orchestrator": terms, "ManifestID": in.ManifestID, "inPixels": 1})
		last = a.body.State
	case strings.HasPrefix(e.What, "S: second payment"):
		r.clock.Set(start.Add(3500 * time.Millisecond)) // within the fourth second
	}
	got := r.post(t, "/generate-live-payment", replaced(t, e.Request.Body, e.What, terms, last))
	sameHead(t, e, &got)
	if got.status == 200 {
		r.last, r.states[in.ManifestID] = got, got.body.State
		sameLengths(t, e, &got)
		return
	}
	// The protobuf library writes one of two kinds of space, so that nothing depends on its texts.
	var want struct{ Error struct{ Message string } }
	if err := json.Unmarshal(e.Response.Body, &want); err != nil {
		t.Fatal(err)
	}
	if plain(got.error) != plain(want.Error.Message) {
		t.Errorf("%s: %q, want %q", e.What, got.error, want.Error.Message)
	}
}

// sameHead compares status and headers.
func sameHead(t *testing.T, e *recordedCall, got *answer) {
	t.Helper()
	if !strings.HasPrefix(e.Response.Status, "HTTP/1.1 "+strconv.Itoa(got.status)+" ") {
		t.Errorf("%s: %d %s, want %s", e.What, got.status, got.error, e.Response.Status)
	}
	if want := e.Response.Headers["Content-Type"]; got.header.Get("Content-Type") != want {
		t.Errorf("%s: %q, want %q", e.What, got.header.Get("Content-Type"), want)
	}
	want := e.Response.Headers["Content-Length"]
	if got.status != 200 && got.header.Get("Content-Length") != want && !strings.Contains(got.error, "proto") {
		t.Errorf("%s: %s bytes, want %s", e.What, got.header.Get("Content-Length"), want)
	}
	if !strings.HasSuffix(got.text, "}\n") {
		t.Errorf("%s: %q", e.What, got.text)
	}
}

var characters = regexp.MustCompile(`<(\d+) characters>`)

// sameLengths compares the parts of a payment that are as long in each run.
func sameLengths(t *testing.T, e *recordedCall, got *answer) {
	t.Helper()
	var want, have struct {
		Payment, SegCreds string
		State             struct{ Sig string }
	}
	if json.Unmarshal(e.Response.Body, &want) != nil || json.Unmarshal([]byte(got.text), &have) != nil {
		t.Fatal(e.What, got.text)
	}
	for name, pair := range map[string][2]string{"payment": {have.Payment, want.Payment},
		"credentials": {have.SegCreds, want.SegCreds}, "signature": {have.State.Sig, want.State.Sig}} {
		if n := characters.FindStringSubmatch(pair[1]); n == nil || n[1] != strconv.Itoa(len(pair[0])) {
			t.Errorf("%s: %s of %d characters, want %s", e.What, name, len(pair[0]), pair[1])
		}
	}
}

// sameState compares the state of the latest answer. Ids differ, and the time is this test's.
func (r *recordedCalls) sameState(t *testing.T, want map[string]any) {
	t.Helper()
	var got map[string]any
	if err := json.Unmarshal(r.last.body.State.State, &got); err != nil {
		t.Fatal(err)
	}
	for k, w := range want {
		if text, ok := w.(string); ok && strings.Contains(text, "<") {
			w = got[k]
		}
		if g, there := got[k]; !there || !reflect.DeepEqual(g, w) {
			t.Errorf("state: %s: %v, want %v", k, g, w)
		}
	}
	if len(got) != len(want) {
		t.Errorf("state %v, want %v", got, want)
	}
}

// info replays a request for the signature with which a gateway asks for offers.
func (r *recordedCalls) info(t *testing.T, e *recordedCall) {
	t.Helper()
	got := r.post(t, "/sign-orchestrator-info", nil)
	sameHead(t, e, &got)
	var out struct{ Address, Signature string }
	if err := json.Unmarshal([]byte(got.text), &out); err != nil {
		t.Fatal(err)
	}
	account := common.Address(r.account)
	sig, err := hex.DecodeString(strings.TrimPrefix(out.Signature, "0x"))
	if err != nil || signature.EthVerify(account, signature.RequestMessage(account).Bytes(), sig) != nil {
		t.Errorf("%s: %v", out.Signature, err)
	}
	want := fmt.Sprintf("{%q:%q,%q:%q}\n", "address", account.Hex(), "signature", out.Signature)
	if got.text != want || strconv.Itoa(len(got.text)) != e.Response.Headers["Content-Length"] {
		t.Errorf("%q, want %q", got.text, want)
	}
}

func plain(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == 0xa0 || r == 0xc2 }), " ")
}

// replaced puts whole values where the recording has placeholders.
func replaced(t *testing.T, body json.RawMessage, what string, terms []byte, last *state) []byte {
	t.Helper()
	if string(body) == `"{"` {
		return []byte("{")
	}
	fields := make(map[string]any)
	if err := json.Unmarshal(body, &fields); err != nil {
		t.Fatal(err)
	}
	if text, ok := fields["orchestrator"].(string); ok && text != "AAAA" {
		fields["orchestrator"] = base64.StdEncoding.EncodeToString(terms)
	}
	if id, ok := fields["ManifestID"].(string); ok { // ids have 8 characters
		fields["ManifestID"] = strings.NewReplacer("<mid-1>", "41ef77b4", "<mid-2>", "8c1e0b79").Replace(id)
	}
	if fields["state"] != nil {
		fields["state"] = last
		if what == "S: tampered state" {
			fields["state"] = &state{last.State, make([]byte, signature.Length)}
		}
	}
	out, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
