package orchestrate_test

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/test/coretest"
)

// TestTokenVector knows the token of the network's vector by its secret: its id is short, as those of earlier versions.
func TestTokenVector(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../test/vectors/auth_token.json")
	if err != nil {
		t.Fatal(err)
	}
	var v struct {
		Expiration        int64
		Secret, Token     string
		SessionID         string `json:"session_id"`
		AuthTokenProtoHex string `json:"auth_token_proto_hex"`
	}
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	now := time.Unix(v.Expiration, 0).Add(-orchestrate.TokenLife)
	tokens, err := orchestrate.NewTokens(pm.Secret{}, bytes.NewReader(unhex(t, v.Secret)), func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	tok := orchestrate.Token{Code: unhex(t, v.Token), Session: core.SessionID(v.SessionID), Expires: v.Expiration}
	if err := tokens.Check(&tok); err != nil {
		t.Error(err)
	}
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.TrimPrefix(s, "0x"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestTokenChecks(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		change func(tok *orchestrate.Token, clk *coretest.Clock) *orchestrate.Token
		want   fault.Code
		text   string
	}{
		{"none", func(*orchestrate.Token, *coretest.Clock) *orchestrate.Token { return nil }, fault.MissingAuthToken,
			"missing auth token"},
		{"empty", func(*orchestrate.Token, *coretest.Clock) *orchestrate.Token { return &orchestrate.Token{} },
			fault.InvalidAuthToken, "invalid auth token"},
		{"later end", func(tok *orchestrate.Token,
			_ *coretest.Clock) *orchestrate.Token {
			tok.Expires++
			return tok
		}, fault.InvalidAuthToken,
			"invalid auth token"},
		{"other session", func(tok *orchestrate.Token, _ *coretest.Clock) *orchestrate.Token {
			tok.Session = "00000000"
			return tok
		}, fault.InvalidAuthToken, "invalid auth token"},
		{"id moved into the expiry", func(tok *orchestrate.Token, _ *coretest.Clock) *orchestrate.Token {
			// The code covers the same bytes: the last character of the id has
			// become the first byte of a far later expiry.
			last := int64(tok.Session[len(tok.Session)-1])
			tok.Session = tok.Session[:len(tok.Session)-1]
			tok.Expires |= last << 32
			return tok
		}, fault.InvalidAuthToken, "invalid auth token"},
		{"cut code", func(tok *orchestrate.Token, _ *coretest.Clock) *orchestrate.Token {
			tok.Code = tok.Code[:31]
			return tok
		}, fault.InvalidAuthToken, "invalid auth token"},
		{"a second late", func(tok *orchestrate.Token, clk *coretest.Clock) *orchestrate.Token {
			clk.Forward(orchestrate.TokenLife + time.Second)
			return tok
		}, fault.ExpiredAuthToken, "expired auth token"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			n := newNode(t)
			tok := tc.change(n.token(), n.clk)
			_, err := n.Admit(t.Context(), request(tok))
			wantCode(t, err, tc.want)
			if got := fault.Wire(err); got != tc.text {
				t.Errorf("gateways get %q, want %q", got, tc.text)
			}
		})
	}
}

func TestTokenGoodToItsLastSecond(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	tok := n.token()
	n.clk.Forward(orchestrate.TokenLife)
	n.admit(tok).Close()
}

// TestResultsAreNotGuessed: the address is all that a client needs for a rendition or for the output of a job, and a
// token with the id of another one's session would be in that session. Neither is found by trying.
func TestResultsAreNotGuessed(t *testing.T) {
	t.Parallel()
	const bits = 96
	n := newNode(t, func(o *orchestrate.Options) { o.Rand = rand.Reader })
	url, err := n.KeepArtifact("job-1", "png", []byte("picture"))
	if err != nil {
		t.Fatal(err)
	}
	name, _ := strings.CutSuffix(url[strings.LastIndexByte(url, '/')+1:], ".png")
	sent := n.send(n.token())
	session, _, _ := strings.Cut(strings.TrimPrefix(sent.Renditions[0].URL, serviceURI+"/stream/"), "/")
	for what, random := range map[string]string{"a rendition": session, "a job's output": name,
		"a session": string(n.token().Session)} {
		if id, err := hex.DecodeString(random); err != nil || 8*len(id) < bits {
			t.Errorf("%s is found by trying %d bits, the least is %d", what, 8*len(id), bits)
		}
	}
}

func TestOffersHaveFreshSessions(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	seen := make(map[core.SessionID]bool)
	for range 100 {
		tok := n.token()
		if seen[tok.Session] {
			t.Fatalf("session %s was offered twice", tok.Session)
		}
		seen[tok.Session] = true
	}
}

// TestOfferSkipsSessionInUse has randomness that repeats itself.
func TestOfferSkipsSessionInUse(t *testing.T) {
	t.Parallel()
	random := strings.NewReader(strings.Repeat("s", 32) + strings.Repeat("a", 24) + strings.Repeat("b", 12))
	n := newNode(t, func(o *orchestrate.Options) { o.Rand = random })
	first := n.token()
	n.send(first)
	if second := n.token(); second.Session == first.Session {
		t.Error("a session in use was offered again")
	}
}
