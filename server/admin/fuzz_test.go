package admin_test

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/server/admin"
)

var fuzzedForms = []string{"/bond", "/rebond", "/withdrawFees", "/transferTokens", "/vote", "/voteOnProposal",
	"/fundDepositAndReserve",
	"/setPriceForBroadcaster", "/setBroadcastConfig", "/setMaxPriceForCapability", "/activateOrchestrator",
	"/setOrchestratorConfig", "/setMaxSessions", "/setLogLevel", "/setMaxGasPrice",
	"/unbondingLocks", "/orchestratorEarningPoolsForRound"}

// No form makes a route panic, and what it refuses it sends nothing for.
func FuzzForms(f *testing.F) {
	for i := range fuzzedForms {
		f.Add(uint8(i), activation+"&amount=1")
		f.Add(uint8(i), "amount=5&toAddr="+low+"&to="+low+"&unbondingLockId=0&poll="+low+"&choiceID=1&proposalID=3&support=1")
		f.Add(uint8(i), "maxPricePerUnit=5&pixelsPerUnit=1&currency=Wei&pipeline=llm&modelID=default")
		f.Add(uint8(i), "a=%zz&amount=1e400&round=99999999999999999999;x")
	}
	f.Fuzz(func(t *testing.T, which uint8, form string) {
		st := newStation(t, func(o *admin.Options) {
			old(o)
			table := &capTable{}
			o.Market.Caps, o.Market.Renditions = table, table
		})
		path := fuzzedForms[int(which)%len(fuzzedForms)]
		got := st.form(path, form)
		switch got.Code {
		case 200, 400, 500:
		default:
			t.Fatalf("%s %q: %d %s", path, form, got.Code, got.Body)
		}
		if strings.Contains(st.log.String(), "panic") {
			t.Fatalf("%s %q: %s", path, form, st.log)
		}
		if got.Code == 400 && len(st.chain.Sent()) > 0 {
			t.Fatalf("%s %q: refused, and sent %v", path, form, st.chain.Sent())
		}
	})
}

// No body makes version 1 panic, and what it refuses as unreadable it sends
// nothing for.
func FuzzBodies(f *testing.F) {
	var paths []string
	for _, r := range admin.Routes() {
		if r.Change {
			paths = append(paths, r.Path)
		}
	}
	for _, tt := range requests() {
		for i, path := range paths {
			if path == tt.path {
				f.Add(uint8(i), tt.body)
				f.Add(uint8(i), tt.wrongWith)
			}
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, body string) {
		st := newStation(t, nil)
		path := paths[int(which)%len(paths)]
		got := st.post(path, body)
		if strings.Contains(got.Body.String(), `"code":"Unexpected"`) || strings.Contains(st.log.String(), "panic") {
			t.Fatalf("%s %q: %d %s", path, body, got.Code, got.Body)
		}
		if strings.Contains(got.Body.String(), `"code":"AdminBadBody"`) && len(st.chain.Sent()) > 0 {
			t.Fatalf("%s %q: refused, and sent %v", path, body, st.chain.Sent())
		}
	})
}

// Whatever a Host header says, it is let in only when it names this machine.
func FuzzHost(f *testing.F) {
	for _, h := range []string{"localhost", "127.0.0.1:7935", "[::1]:1", "evil.example", "[localhost]", "127.0.0.1.",
		"::ffff:127.0.0.1", "[::1", "localhost:x:y"} {
		f.Add(h)
	}
	s := newServer(&node{}, nil)
	f.Fuzz(func(t *testing.T, host string) {
		if ask(s, "GET", "/IsOrchestrator", "", "Host", host).Code != 200 {
			return
		}
		without, _, _ := strings.Cut(host[max(0, strings.LastIndex(host, "]")):], ":")
		without = host[:max(0, strings.LastIndex(host, "]"))] + without
		for _, name := range []string{host, without} {
			name = strings.TrimSuffix(strings.Trim(name, "[]"), ".")
			if ip, err := netip.ParseAddr(name); strings.EqualFold(name, "localhost") || err == nil && ip.IsLoopback() {
				return
			}
		}
		t.Fatalf("Host %q was let in", host)
	})
}

// A cut that a tool computes in floating point is the cut that was meant.
func TestPercentages(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		millionths := rapid.IntRange(0, 1_000_000).Draw(t, "parts per million")
		cut := float64(millionths) / 10_000
		share := strconv.FormatFloat(100-(100-cut), 'f', -1, 64)
		st := stationIn(dir, old)
		got := st.form("/activateOrchestrator",
			fmt.Sprintf("blockRewardCut=%v&feeShare=%s&pricePerUnit=0&pixelsPerUnit=1&serviceURI=https://o.example:1&amount=1",
				strconv.FormatFloat(cut, 'f', -1, 64), share))
		if got.Code != 200 {
			t.Fatalf("%v: %d %s", cut, got.Code, got.Body)
		}
		want := protocol.SetCommission{RewardCut: core.PerMillion(millionths), FeeShare: core.PerMillion(millionths)}
		for _, a := range st.chain.Sent() {
			if c, ok := a.(protocol.SetCommission); ok && c != want {
				t.Fatalf("%v became %v", cut, c)
			}
		}
	})
}
