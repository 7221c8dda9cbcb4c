package orchestrate_test

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/pm"
)

// TestTokenOutlivesProcess: with the ledger's secret a token is good after a
// restart, and at no other node.
func TestTokenOutlivesProcess(t *testing.T) {
	t.Parallel()
	with := func(secret byte) func(*orchestrate.Options) {
		return func(o *orchestrate.Options) { o.TokenSecret = pm.Secret{secret} }
	}
	before, _ := paidNode(t, with(1))
	tok := before.payerToken()
	after, _ := paidNode(t, with(1))
	after.sendPaid(tok)
	for _, secret := range []byte{0, 2} {
		other, _ := paidNode(t, with(secret))
		_, err := other.Admit(t.Context(), paidRequest(tok, 1))
		wantCode(t, err, fault.InvalidAuthToken)
	}
}

// TestTokenOfTheTimeOffChain has no quote and opens nothing on the chain.
func TestTokenOfTheTimeOffChain(t *testing.T) {
	t.Parallel()
	secret := func(o *orchestrate.Options) { o.TokenSecret = pm.Secret{1} }
	off, on := newNode(t, secret), (*node)(nil)
	on, _ = paidNode(t, secret)
	_, err := on.Admit(t.Context(), paidRequest(off.token(), 1))
	wantCode(t, err, fault.InvalidAuthToken)
	if err := on.EndSession(off.token()); err != nil {
		t.Error(err)
	}
}

// TestTokenTampering changes every byte and moves bytes between the parts.
func TestTokenTampering(t *testing.T) {
	t.Parallel()
	n, _ := paidNode(t)
	tok := n.payerToken()
	refuse := func(what string, bad orchestrate.Token) {
		t.Helper()
		if _, err := n.Admit(t.Context(), paidRequest(&bad, 1)); fault.CodeOf(err) != fault.InvalidAuthToken {
			t.Errorf("%s: %v", what, err)
		}
	}
	for i := range tok.Code {
		bad := *tok
		bad.Code = bytes.Clone(tok.Code)
		bad.Code[i] ^= 1
		refuse("a changed byte", bad)
		bad.Code = tok.Code[:i]
		refuse("a short code", bad)
	}
	longer := *tok
	longer.Code = append(bytes.Clone(tok.Code), 0)
	refuse("a longer code", longer)

	// The same bytes, other parts: the expiry takes in bytes of the quote, or the
	// quote the expiry's.
	moved := *tok
	moved.Expires = int64(binary.BigEndian.Uint64(append(binary.BigEndian.AppendUint64(nil, uint64(tok.Expires))[1:],
		tok.Code[32])))
	moved.Code = append(bytes.Clone(tok.Code[:32]), tok.Code[33:]...)
	refuse("a later expiry", moved)
	moved = *tok
	moved.Expires = tok.Expires >> 8
	moved.Code = append(append(bytes.Clone(tok.Code[:32]), byte(tok.Expires)), tok.Code[32:]...)
	refuse("an earlier expiry", moved)
	n.admitPaid(tok, 1).Close()
}

// FuzzToken: only what was issued is genuine.
func FuzzToken(f *testing.F) {
	now := func() time.Time { return time.Unix(1_700_000_000, 0) }
	random := strings.NewReader(strings.Repeat("x", 12) + strings.Repeat("y", 12))
	tokens, err := orchestrate.NewTokens(pm.Secret{1}, random, now)
	if err != nil {
		f.Fatal(err)
	}
	quote := pm.Quote{Sender: payer, Price: price, Models: []inference.Model{llama}}
	carried, err := quote.AppendBinary(nil)
	if err != nil {
		f.Fatal(err)
	}
	var issued []orchestrate.Token
	for _, q := range [][]byte{nil, carried} {
		tok, err := tokens.Issue(q)
		if err != nil {
			f.Fatal(err)
		}
		issued = append(issued, tok)
		f.Add(tok.Code, string(tok.Session), tok.Expires)
		f.Add(tok.Code[:32], string(tok.Session), tok.Expires)
	}
	f.Add([]byte(nil), "", int64(-1))
	f.Add(make([]byte, 32), "0011aabb", int64(1)<<62)
	f.Fuzz(func(t *testing.T, code []byte, session string, expires int64) {
		tok := &orchestrate.Token{Code: code, Session: core.SessionID(session), Expires: expires}
		genuine := false
		for _, have := range issued {
			genuine = genuine || bytes.Equal(have.Code, code) && string(have.Session) == session &&
				have.Expires == expires
		}
		if got := tokens.Genuine(tok); got != genuine {
			t.Errorf("genuine: %v, want %v", got, genuine)
		}
		if err := tokens.Check(tok); (err == nil) != genuine {
			t.Error(err)
		}
	})
}
