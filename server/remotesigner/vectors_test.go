package remotesigner_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"slices"
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
