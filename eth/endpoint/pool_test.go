package endpoint

import (
	"errors"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

func TestNewRefusesAddressesWithoutRepeatingThem(t *testing.T) {
	t.Parallel()
	for _, u := range []string{"", "hush", "ftp://h/hush", "http://", "http://[::1/hush", "https:///hush",
		"http://h:port/hush"} {
		_, err := New(Options{Endpoints: []Endpoint{{URL: core.NewSecret(u)}}})
		if !errors.Is(err, fault.RPCURLInvalid) || strings.Contains(err.Error(), "hush") {
			t.Errorf("%q: %v", u, err)
		}
	}
	if _, err := New(Options{}); !errors.Is(err, fault.RPCURLInvalid) {
		t.Errorf("no address: %v", err)
	}
}

func TestNamesShowTheHostOnly(t *testing.T) {
	t.Parallel()
	p, err := New(Options{Endpoints: []Endpoint{
		{URL: core.NewSecret("https://user:hush@rpc.example:8443/v2/hush?k=hush#hush")},
		{URL: core.NewSecret("https://rpc.example:8443/hush")},
		{URL: core.NewSecret("WSS://rpc.example/hush")},
		{URL: core.NewSecret("http://127.0.0.1:8547"), Name: "own node"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	var names []string
	for _, e := range p.Status().Endpoints {
		names = append(names, e.Name)
		if e.State != Untried {
			t.Errorf("%s is %s", e.Name, e.State)
		}
	}
	want := "https://rpc.example:8443|https://rpc.example:8443 (2)|wss://rpc.example|own node"
	if got := strings.Join(names, "|"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestFirstAnswerDecidesTheChain(t *testing.T) {
	t.Parallel()
	one, first, second := newFakeNode(t), newFakeNode(t), newFakeNode(t)
	one.chainID, first.chainID, second.chainID = 1, 54321, 42161
	p := poolOf(t, func(o *Options) { o.ChainID = 0 }, one, first, second)
	for i, want := range []fault.Code{fault.RPCLayerOne, "", fault.RPCWrongChain} {
		f := p.remotes[i].verify(t.Context())
		if (f == nil) != (want == "") || f != nil && !errors.Is(f, want) {
			t.Errorf("endpoint %d: %v, want %q", i, f, want)
		}
	}
	if p.ChainID() != 54321 {
		t.Errorf("chain %d", p.ChainID())
	}
	if f := p.remotes[2].verify(t.Context()); !strings.Contains(f.Error(), "42161") ||
		!strings.Contains(f.Error(), "54321") {
		t.Errorf("both numbers are not named: %v", f)
	}
}

func TestLayerOneWhereItIsWanted(t *testing.T) {
	t.Parallel()
	n := newFakeNode(t)
	n.chainID = 1
	p := poolOf(t, func(o *Options) { o.ChainID = 1 }, n)
	if _, err := p.GasPrice(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestCallsAreCounted(t *testing.T) {
	t.Parallel()
	n := newFakeNode(t)
	p := poolOf(t, nil, n)
	if _, err := p.CallBatch(t.Context(), 900, calls(250)); err != nil {
		t.Fatal(err)
	}
	if got := p.Calls(); got["eth_call"] != 250 || got["eth_chainId"] != 1 {
		t.Error(got)
	}
}
