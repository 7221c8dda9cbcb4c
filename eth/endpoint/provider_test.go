package endpoint

import (
	"errors"
	"net/url"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

func TestProviders(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]provider{
		"https://arb.example.org/v2/key":   "arb.example.org",
		"wss://ARB.example.org.:443/ws/k":  "arb.example.org",
		"http://arb.example.org:8545":      "arb.example.org",
		"https://arb.example.com":          "arb.example.com",
		"http://127.0.0.1:8545":            "127.0.0.1 8545",
		"http://user:pass@127.0.0.1:8547/": "127.0.0.1 8547",
		"wss://[2001:db8::1]":              "2001:db8::1 443",
		"ws://localhost":                   "localhost 80",
	} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if got := providerOf(u); got != want {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
}

// TestOneHostIsOneVote: several addresses of one host outvote no other, and prove nothing
// that one of them does not. Where there is no other host they are as good as one.
func TestOneHostIsOneVote(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		// ways are how many addresses of a lying and of an honest host are given.
		liar, honest int
		second       bool
		dead         bool
		want         string
	}{
		"three ways to a liar":            {liar: 3, honest: 1},
		"three to a liar and two others":  {liar: 3, honest: 1, second: true, want: "true"},
		"two ways to the only host":       {honest: 2, want: "true"},
		"one of two ways is out of order": {honest: 1, dead: true, want: "true"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var o []Endpoint
			ways := func(n *fakeNode, count int) {
				for i := range count {
					o = append(o, Endpoint{URL: core.NewSecret(n.URL + "/way/" + string(rune('a'+i)))})
				}
			}
			liar, honest, second := newFakeNode(t), newFakeNode(t), newFakeNode(t)
			liar.answers["eth_call"] = gives("0x666666")
			ways(liar, tt.liar)
			ways(honest, tt.honest)
			if tt.second {
				ways(second, 1)
			}
			if tt.dead { // nothing speaks that protocol there
				o = append(o, Endpoint{URL: core.NewSecret("https" + honest.URL[len("http"):])})
			}
			p := poolOf(t, func(opt *Options) { opt.Endpoints = o })
			if _, err := p.Head(t.Context()); err != nil {
				t.Fatal(err)
			}
			for which, batcher := range map[string]func() (string, error){
				"agreed": func() (string, error) { return said(p.Quorum().CallBatch(t.Context(), 1000, calls(1))) },
				"proven": func() (string, error) { return said(p.Majority().CallBatch(t.Context(), 1000, calls(1))) },
			} {
				if got, err := batcher(); got != tt.want || err != nil && !errors.Is(err, fault.ChainDisputed) {
					t.Errorf("%s: %q %v, want %q", which, got, err, tt.want)
				}
			}
		})
	}
}
