package orchestrator_test

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"encoding/json"

	"github.com/tuttinode/tutti/server/rpc"
)

// FuzzHeaders sends what it likes as the headers of a segment: whatever comes, it
// is refused with one of the protocol's statuses and nothing is transcoded.
func FuzzHeaders(f *testing.F) {
	f.Add("", "")
	f.Add("!", "AAAA")
	f.Add(b64(&rpc.Payment{Sender: make([]byte, 20)}), b64(rpc.ToSegData(meta(nil, nil))))
	for _, s := range vectorHeaders(f) {
		f.Add("", s)
	}
	n := newNode(f)
	f.Fuzz(func(t *testing.T, payment, segment string) {
		if !headerValue(payment) || !headerValue(segment) {
			t.Skip("no value of a header")
		}
		req, err := http.NewRequest(http.MethodPost, n.uri+"/segment", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header["Livepeer-Payment"] = []string{payment}
		req.Header["Livepeer-Segment"] = []string{segment}
		res, body := do(t, n.h1, req)
		switch res.StatusCode {
		case http.StatusPaymentRequired, http.StatusForbidden:
		default:
			t.Errorf("%d %q", res.StatusCode, body)
		}
		if n.fake.Jobs() != 0 {
			t.Error("it was transcoded")
		}
	})
}

// FuzzPaidHeaders is a gateway with an account that sends what it likes as payment
// and token: nothing is worked on that was not paid for, and nothing is an error
// of ours.
func FuzzPaidHeaders(f *testing.F) {
	c := newChainNode(f)
	in := c.terms(nil)
	good := c.segment(in, 1)
	f.Add([]byte(nil), in.GetAuthToken().GetToken(), in.GetAuthToken().GetExpiration())
	for _, tickets := range []int{0, 1, 3} {
		raw, err := base64.StdEncoding.DecodeString(c.payment(in, tickets))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw, in.GetAuthToken().GetToken(), in.GetAuthToken().GetExpiration())
		f.Add(raw, in.GetAuthToken().GetToken()[:32], in.GetAuthToken().GetExpiration()<<8)
	}
	f.Fuzz(func(t *testing.T, payment, token []byte, expires int64) {
		read := segData(t, good.Header.Get("Livepeer-Segment"))
		read.AuthToken.Token, read.AuthToken.Expiration = token, expires
		req, err := http.NewRequest(http.MethodPost, c.uri+"/segment", strings.NewReader("segment"))
		if err != nil {
			t.Fatal(err)
		}
		req.Header["Livepeer-Payment"] = []string{base64.StdEncoding.EncodeToString(payment)}
		req.Header["Livepeer-Segment"] = []string{b64(read)}
		before := len(c.pay.Work())
		res, body := do(t, c.h1, req)
		switch res.StatusCode {
		case http.StatusPaymentRequired, http.StatusForbidden, http.StatusBadRequest:
			if len(c.pay.Work()) != before {
				t.Error("billed what was refused")
			}
		case http.StatusOK:
			if !bytes.Equal(token, in.GetAuthToken().GetToken()) {
				t.Errorf("worked under another token: %q", body)
			}
		default:
			t.Errorf("%d %q", res.StatusCode, body)
		}
		if c.pay.Open() != 0 {
			t.Error("money stays aside")
		}
	})
}

// FuzzStream asks for anything: nothing but the one rendition is found.
func FuzzStream(f *testing.F) {
	n := newNode(f)
	seg := n.transcode(n.h2, n.offer().GetAuthToken(), []byte("segment")).GetData().GetSegments()[0].GetUrl()
	path := strings.TrimPrefix(seg, n.uri+"/stream/")
	for _, s := range []string{path, "", "..", path + ".phash", "00000000/p/1.ts", "%2e%2e/x", "a?b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		u, err := url.Parse(n.uri + "/stream/")
		if err != nil {
			t.Fatal(err)
		}
		u.Path += text
		req, err := http.NewRequest(http.MethodGet, u.String(), nil)
		if err != nil {
			t.Skip("no URL")
		}
		res, err := n.h1.Transport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		switch {
		case text == path:
		case res.StatusCode == http.StatusNotFound, res.StatusCode/100 == 3:
		case strings.HasPrefix(text, n.uri):
		default:
			t.Errorf("%q: %d", text, res.StatusCode)
		}
	})
}

func headerValue(s string) bool {
	for _, c := range []byte(s) {
		if c < ' ' || c == 0x7f {
			return false
		}
	}
	return len(s) < 64<<10
}

// vectorHeaders are the segment headers of the network's vectors.
func vectorHeaders(f *testing.F) []string {
	f.Helper()
	text, err := os.ReadFile("../../test/vectors/segdata.json")
	if err != nil {
		f.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		f.Fatal(err)
	}
	var out []string
	var walk func(key string, v any)
	walk = func(key string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for k, e := range v {
				walk(k, e)
			}
		case []any:
			for _, e := range v {
				walk(key, e)
			}
		case string:
			if strings.Contains(key, "header") {
				out = append(out, v)
			}
		}
	}
	walk("", v)
	if len(out) == 0 {
		f.Fatal("no headers among the vectors")
	}
	return out
}
