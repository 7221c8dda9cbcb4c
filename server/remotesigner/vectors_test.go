package remotesigner_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/server/rpc"
)

// What the existing signer signed is what this one would: the signatures are over the same bytes.
func TestRecordedSignatures(t *testing.T) {
	t.Parallel()
	v := recordedBytes(t)
	account := common.HexToAddress(v.Signer)
	sig, err := hex.DecodeString(strings.TrimPrefix(v.Info.Signature, "0x"))
	if err != nil {
		t.Fatal(err)
	}
	if err := signature.EthVerify(account, signature.RequestMessage(account).Bytes(), sig); err != nil {
		t.Error("request: ", err)
	}
	for _, a := range []recordedAnswer{v.Answer, v.Second} {
		m, err := signature.StateMessage(a.State.State)
		if err != nil {
			t.Fatal(err)
		}
		if err := signature.EthVerify(account, m.Bytes(), a.State.Sig); err != nil {
			t.Error("state: ", err)
		}
		creds := new(rpc.SegData)
		if err := proto.Unmarshal(a.SegCreds, creds); err != nil {
			t.Fatal(err)
		}
		meta, err := rpc.FromSegData(creds)
		if err != nil {
			t.Fatal(err)
		}
		if err := signature.NodeVerify(account, signature.Segment(meta.Manifest, 0, meta.Hash, nil), meta.Sig); err != nil {
			t.Error("credentials: ", err)
		}
	}
}

// The recorded requests get payments of the recorded form: as many tickets, the same fields, the same credit.
func TestRecordedSession(t *testing.T) {
	t.Parallel()
	v, r := recordedBytes(t), begin(t, t.TempDir(), change{})
	first := r.ask(t, map[string]any{"orchestrator": v.Challenge.Params, "ManifestID": "fa152936", "type": "live"})
	compare(t, r, &first, &v.Answer)
	r.clock.Set(time.Date(2026, 11, 22, 8, 50, 39, 784845360, time.UTC))
	second := r.ask(t, map[string]any{"orchestrator": v.Challenge.Params, "ManifestID": "fa152936", "type": "live",
		"state": first.body.State})
	compare(t, r, &second, &v.Second)
}

// compare compares an answer with a recorded one, apart from ids and signatures.
func compare(t *testing.T, r *rig, got *answer, want *recordedAnswer) {
	t.Helper()
	if got.status != 200 || got.header.Get("Content-Type") != "application/json" {
		t.Fatalf("%d %s %s", got.status, got.header.Get("Content-Type"), got.error)
	}
	recorded := answer{status: 200}
	recorded.body.Payment, recorded.body.State = want.Payment, &want.State
	mine, theirs := got.decoded(t), recorded.decoded(t)
	mine.StateID, theirs.StateID = "", ""
	if mine != theirs {
		t.Errorf("state\n%+v, want\n%+v", mine, theirs)
	}
	names := func(text []byte) (out []string) {
		dec := json.NewDecoder(bytes.NewReader(text))
		for {
			token, err := dec.Token()
			if err != nil {
				return out
			}
			if name, ok := token.(string); ok && len(out) < 26 {
				out = append(out, name)
			}
		}
	}
	if a, b := names(got.body.State.State), names(want.State.State); len(a) != len(b) || a[0] != b[0] {
		t.Errorf("fields %q, want %q", a, b)
	}
	p, q := got.payment(t), recorded.payment(t)
	if len(p.Tickets) != len(q.Tickets) || !slices.EqualFunc(p.Tickets, q.Tickets, func(a, b pm.Signed) bool {
		return a.Nonce == b.Nonce && len(a.Sig) == len(b.Sig)
	}) {
		t.Errorf(
			"%d tickets from %d, want %d from %d",
			len(p.Tickets),
			p.Tickets[0].Nonce,
			len(q.Tickets),
			q.Tickets[0].Nonce,
		)
	}
	p.Tickets, q.Tickets, p.Sender, q.Sender = nil, nil, r.account, r.account
	if a, b := rpc.ToPayment(&p), rpc.ToPayment(&q); !proto.Equal(a, b) {
		t.Errorf("payment\n%v, want\n%v", a, b)
	}
	compareCredentials(t, got.body.SegCreds, want.SegCreds)
}

func compareCredentials(t *testing.T, got, want []byte) {
	t.Helper()
	a, b := new(rpc.SegData), new(rpc.SegData)
	for _, one := range []struct {
		raw []byte
		m   *rpc.SegData
	}{{got, a}, {want, b}} {
		if err := proto.Unmarshal(one.raw, one.m); err != nil {
			t.Fatal(err)
		}
		if len(one.m.GetSig()) != signature.Length {
			t.Errorf("a signature of %d bytes", len(one.m.GetSig()))
		}
		one.m.Sig = nil
	}
	if !proto.Equal(a, b) {
		t.Errorf("credentials\n%v, want\n%v", a, b)
	}
}

// Every recorded refusal has the same status and the same bytes here.
func TestRecordedRefusals(t *testing.T) {
	t.Parallel()
	var v struct {
		Exchanges []struct {
			What    string
			Request struct {
				Line string
				Body json.RawMessage
			}
			Response struct {
				Status string
				Body   json.RawMessage
			}
		}
	}
	recorded(t, "live_paid.json", &v)
	r, bytesOf := begin(t, t.TempDir(), change{}), recordedBytes(t)
	first := r.ask(
		t,
		map[string]any{"orchestrator": bytesOf.Challenge.Params, "ManifestID": "<mid-1>", "type": "live"},
	)
	if first.status != 200 {
		t.Fatal(first.error)
	}
	played := 0
	for _, e := range v.Exchanges {
		if e.Request.Line != "POST /generate-live-payment HTTP/1.1" || strings.Contains(e.Response.Status, " 200 ") {
			continue
		}
		played++
		terms, last := bytesOf.Challenge.Params, first.body.State
		if e.What == "S: credit is left" { // after a payment of another kind, at a low price
			terms = offer(t, func(m *rpc.OrchestratorInfo) { m.PriceInfo.PricePerUnit = 1 })
			a := r.ask(t, map[string]any{"orchestrator": terms, "ManifestID": "179ed739", "inPixels": 1})
			last = a.body.State
		}
		body := replaced(t, e.Request.Body, e.What, terms, last)
		got := r.post(t, "/generate-live-payment", body)
		if !strings.HasPrefix(e.Response.Status, "HTTP/1.1 "+strconv.Itoa(got.status)+" ") {
			t.Errorf("%s: %d %s, want %s", e.What, got.status, got.error, e.Response.Status)
		}
		var want struct{ Error struct{ Message string } }
		if err := json.Unmarshal(e.Response.Body, &want); err != nil {
			t.Fatal(err)
		}
		// The protobuf library writes one of two kinds of space, so that nothing depends on its texts.
		if plain(got.error) != plain(want.Error.Message) {
			t.Errorf("%s: %q, want %q", e.What, got.error, want.Error.Message)
		}
	}
	if played != 16 {
		t.Errorf("%d refusals played", played)
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
		fields["orchestrator"] = terms
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
