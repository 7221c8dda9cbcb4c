package livepay

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/test/livepayer"
)

// answer is what a request was answered with.
type answer struct {
	status int
	header http.Header
	body   string
}

// send sends a request to the node with the headers of a payment, or others.
func (n *node) send(method, path, body string, headers http.Header) answer {
	n.t.Helper()
	r, err := http.NewRequest(method, n.public.URL+path, strings.NewReader(body))
	if err != nil {
		n.t.Fatal(err)
	}
	if headers != nil {
		r.Header = headers.Clone()
	}
	r.Host = "orch.test:8935"
	res, err := n.public.Client().Do(r)
	if err != nil {
		n.t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		n.t.Fatal(err)
	}
	return answer{res.StatusCode, res.Header, string(data)}
}

// expect compares a status and a text.
func (n *node) expect(what string, got answer, status int, text string) {
	n.t.Helper()
	if got.status != status || text != "" && got.body != text {
		n.t.Errorf("%s: %d %q, want %d %q", what, got.status, got.body, status, text)
	}
}

// named is a request that names who will pay.
func named(payer core.Address) http.Header {
	return http.Header{"Livepeer-Payer-Address": {payer.String()}}
}

// challenge is what a 402 says.
type challenge struct {
	Params       string          `json:"payment_params"`
	Orchestrator string          `json:"orchestrator"`
	Manifest     core.ManifestID `json:"manifest_id"`
	PaymentURL   string          `json:"payment_url"`
}

// challenge asks what to pay for a path, and opens what is paid for the session to come.
func (n *node) challenge(method, path string, p *livepayer.Payer) (challenge, *livepayer.Session) {
	n.t.Helper()
	return n.challengeFor(method, path, "", p)
}

// challengeFor is challenge for a request with a body.
func (n *node) challengeFor(method, path, body string, p *livepayer.Payer) (challenge, *livepayer.Session) {
	n.t.Helper()
	a := n.send(method, path, body, named(p.Account))
	var c challenge
	if err := json.Unmarshal([]byte(a.body), &c); err != nil || a.status != http.StatusPaymentRequired {
		n.t.Fatal(a)
	}
	s, err := p.Open(c.Params, c.Manifest)
	if err != nil {
		n.t.Fatal(err)
	}
	return c, s
}

// paid are the headers that pay for so many units.
func (n *node) paid(s *livepayer.Session, units int64) http.Header {
	n.t.Helper()
	h, err := s.Pay(units)
	if err != nil {
		n.t.Fatal(err)
	}
	return h
}

// forManifest changes the manifest that credentials name, and signs them again.
func (n *node) forManifest(h http.Header, p *livepayer.Payer, manifest core.ManifestID) http.Header {
	n.t.Helper()
	data, err := rpc.DecodeSegData(h.Get(rpc.SegmentHeader))
	if err != nil {
		n.t.Fatal(err)
	}
	meta, err := rpc.FromSegData(data)
	if err != nil {
		n.t.Fatal(err)
	}
	meta.Manifest = manifest
	m, err := signature.SegmentMessage(common.Address(p.Account),
		signature.Segment(manifest, meta.Number, meta.Hash, signature.ProfileNames(meta.Profiles)))
	if err != nil {
		n.t.Fatal(err)
	}
	if meta.Sig, err = p.Sign(m); err != nil {
		n.t.Fatal(err)
	}
	segment, err := rpc.EncodeHeader(rpc.ToSegData(meta))
	if err != nil {
		n.t.Fatal(err)
	}
	out := h.Clone()
	out.Set(rpc.SegmentHeader, segment)
	return out
}
