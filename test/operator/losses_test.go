package operator

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/harness"
)

// contract is the address of a contract that the node works with.
func (n *node) contract(name string) string {
	n.t.Helper()
	_, body := harness.Get(n.t, "http://"+n.admin+"/api/v1/contracts")
	var out struct {
		Contracts []struct{ Name, Trusted string }
	}
	if err := json.Unmarshal(body, &out); err != nil {
		n.t.Fatalf("%v in %s", err, body)
	}
	for _, c := range out.Contracts {
		if c.Name == name {
			return c.Trusted
		}
	}
	n.t.Fatalf("no contract %s in %s", name, body)
	return ""
}

// What the treasury takes from each reward is shown with the other settings.
func TestTreasuryCutIsShown(t *testing.T) {
	t.Parallel()
	chain := devnet.Start(t, devnet.Options{BlockTime: 250 * time.Millisecond})
	n := start(t, newWallet(t), chain.URL(0))
	n.waitStatus("the chain to be known", func(s map[string]any) bool { return s["stale"] == false })
	out, status := n.cli("parameters")
	if status != 0 || !strings.Contains(squeeze(out),
		"Treasury's part of each reward 10 % (10 % from the next round on)") {
		t.Errorf("tutti_cli parameters ends with %d:\n%s", status, out)
	}
}

// The contracts take each of these, and what is sent is lost: tokens in a contract that
// cannot return them, stake with an account that earns nothing, gas for a vote that no
// contract counts. Neither tutti_cli nor the old routes send them.
func TestLossesAreRefused(t *testing.T) {
	t.Parallel()
	chain := devnet.Start(t, devnet.Options{BlockTime: 250 * time.Millisecond})
	w := newWallet(t)
	w.fund(t, chain, "1", "10")
	n := start(t, w, chain.URL(0), "-enableCliTxRoutes")
	n.waitStatus("the chain to be known", func(s map[string]any) bool { return s["stale"] == false })
	const stranger = "0x0000000000000000000000000000000000001234"
	token, bonding := n.contract("LivepeerToken"), n.contract("BondingManager")
	for _, c := range []struct {
		args, route, form string
		code              fault.Code
		says              string
	}{
		{"token transfer --to " + token + " --amount 1", "/transferTokens", "amount=1000000000000000000&to=" + token,
			fault.RecipientIsContract, "LivepeerToken"},
		{"token transfer --to " + bonding + " --amount 1", "/transferTokens", "amount=1000000000000000000&to=" + bonding,
			fault.RecipientIsContract, "BondingManager"},
		{"stake bond --to " + stranger + " --amount 1", "/bond", "amount=1000000000000000000&toAddr=" + stranger,
			fault.DelegateNotRegistered, stranger},
		{"vote poll " + stranger + " --choice yes", "/vote", "choiceID=0&poll=" + stranger, fault.PollMissing, stranger},
	} {
		for _, last := range []string{"--dry-run", "--yes"} {
			out, status := n.cli(append(strings.Fields(c.args), last)...)
			if status == 0 || !strings.Contains(out, string(c.code)) || !strings.Contains(out, c.says) {
				t.Errorf("tutti_cli %s %s ends with %d:\n%s", c.args, last, status, out)
			}
		}
		if status, body := n.form(c.route, c.form); status == 200 || !strings.Contains(body, string(c.code)) {
			t.Errorf("%s answers %d %s", c.route, status, body)
		}
	}
	if out, _ := n.cli("transactions"); strings.Contains(out, "0x") {
		t.Errorf("something was sent:\n%s", out)
	}
}
