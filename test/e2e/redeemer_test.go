package e2e

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/eth/account"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/harness"
)

// member is a node with an account, over all lives of its process.
type member struct {
	*harness.Process
	t            *testing.T
	dir, cli     string
	account      core.Address
	admin, front string
	args         []string
}

func newMember(t *testing.T, chain *devnet.Chain, cli string, args ...string) *member {
	t.Helper()
	m := &member{t: t, dir: t.TempDir(), cli: cli, admin: harness.Address(t), front: harness.Address(t)}
	pass := filepath.Join(m.dir, "passphrase")
	if err := os.WriteFile(pass, []byte("open sesame"), 0o600); err != nil {
		t.Fatal(err)
	}
	e, err := account.Open(filepath.Join(m.dir, "keystore"), devnet.KeyCost).Create(core.NewSecret("open sesame"),
		rand.Reader, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	m.account = e.Address
	if err := chain.Control.Fund(t.Context(), common.Address(m.account), ether(t, "10")); err != nil {
		t.Fatal(err)
	}
	m.args = append([]string{"-network", "devnet", "-ethUrl", chain.URL(0), "-ethPassword", pass, "-dataDir", m.dir,
		"-cliAddr", m.admin,
		"-httpAddr", m.front, "-blockPollingInterval", "1s"}, args...)
	return m
}

func ether(t *testing.T, s string) core.Wei {
	t.Helper()
	w, err := core.ParseEther(s)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func (m *member) start() {
	m.t.Helper()
	m.Process = harness.Start(m.t, binary, m.args...)
	m.WaitHTTP("http://" + m.admin + "/healthz")
}

// awaitActive waits until an orchestrator sees itself in the active set: before, it refuses payments, which payers
// count as made.
func (m *member) awaitActive() {
	m.t.Helper()
	m.Wait("the orchestrator to be active", time.Minute, func() bool {
		_, body := harness.Get(m.t, "https://"+m.front+"/status")
		return strings.Contains(string(body), `"state": "active"`)
	})
}

// run runs tutti_cli until it succeeds: a round may be between two others.
func (m *member) run(words ...string) {
	m.t.Helper()
	args := append([]string{"--url", "http://" + m.admin, "--token-file", filepath.Join(m.dir, "admin.token"), "--yes",
		"--no-color"}, words...)
	var last string
	m.Wait("tutti_cli "+strings.Join(words, " "), 90*time.Second, func() bool {
		text, status := harness.Output(m.t, m.cli, args...)
		if status != 0 && text != last {
			m.t.Logf("tutti_cli %v: %d\n%s", words, status, text)
			last = text
		}
		return status == 0
	})
}

// tickets are the states of a node's winning tickets by their hash.
func (m *member) tickets() map[string]pm.TicketState {
	m.t.Helper()
	status, body := harness.Get(m.t, "http://"+m.admin+adminapi.PathTickets+"?limit=1000")
	var page adminapi.Tickets
	if err := json.Unmarshal(body, &page); err != nil || status != 200 {
		m.t.Fatalf("%d %v in %s", status, err, body)
	}
	out := make(map[string]pm.TicketState)
	for _, t := range page.Tickets {
		out[t.Hash.String()] = pm.TicketState(t.State)
	}
	return out
}

func (m *member) count(state pm.TicketState) (n int) {
	for s := range maps.Values(m.tickets()) {
		if s == state {
			n++
		}
	}
	return n
}

// handed is how many the redeemer has taken, whether it redeemed them or not.
func (m *member) handed() (n int) {
	for s := range maps.Values(m.tickets()) {
		if s == pm.TicketHanded || s == pm.TicketMined || s == pm.TicketFinal {
			n++
		}
	}
	return n
}

// has reports whether a condition is set.
func (m *member) has(code fault.Code) bool {
	_, body := harness.Get(m.t, "http://"+m.admin+"/api/v1/conditions")
	return strings.Contains(string(body), `"`+string(code)+`"`)
}

// redeemerWorld is a chain, a redeemer, an orchestrator that hands its winners to it,
// and a gateway that pays.
func redeemerWorld(t *testing.T) (redeemer, orchestrator, gateway *member) {
	t.Helper()
	cli, err := harness.BuildTool(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	const l1 = 100 * time.Millisecond
	chain := devnet.Start(t, devnet.Options{BlockTime: l1, L1BlockTime: l1, RoundLength: 900,
		Args: []string{"-initializeRounds"}})
	// Gas that costs next to nothing makes small prizes, and so many winners.
	if err := chain.Control.SetBaseFee(t.Context(), core.NewWei(10_000)); err != nil {
		t.Fatal(err)
	}
	redeemer = newMember(t, chain, cli, "-redeemer")
	orchestrator = newMember(t, chain, cli, "-orchestrator", "-transcoder", "-pricePerUnit", "9000", "-redeemerAddr",
		redeemer.front)
	gateway = newMember(t, chain, cli, "-gateway", "-transcodingOptions", ladder)
	orchestrator.args = append(orchestrator.args, "-serviceAddr", orchestrator.front)
	redeemer.args = append(redeemer.args, "-ethOrchAddr", orchestrator.account.String())
	if err := chain.Control.FundLPT(t.Context(), common.Address(orchestrator.account), core.LPTTokens(1000)); err != nil {
		t.Fatal(err)
	}
	for _, m := range []*member{redeemer, orchestrator, gateway} {
		m.start()
	}
	orchestrator.run("orchestrator", "activate", "--reward-cut", "10", "--fee-cut", "95", "--stake", "1000",
		"--service-uri", "https://"+orchestrator.front, "--price-per-unit", "9000")
	gateway.run("deposit", "fund", "--deposit", "1ETH", "--reserve", "2ETH")
	if _, err := chain.Control.NextRound(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	return redeemer, orchestrator, gateway
}

// TestRedeemerInAnotherProcess: winners go to it and become money there. It is killed
// while they come, the orchestrator is too, and nothing is lost.
func TestRedeemerInAnotherProcess(t *testing.T) {
	redeemer, orchestrator, gateway := redeemerWorld(t)
	for what, want := range map[*member]string{redeemer: "true", orchestrator: "false"} {
		if _, body := harness.Get(t, "http://"+what.admin+"/IsRedeemer"); string(body) != want {
			t.Errorf("/IsRedeemer answers %s, want %s", body, want)
		}
	}
	segs := segments(t, small(4))
	n, last := 0, error(nil)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("of %d segments, the last that failed: %v", n, last)
		}
	})
	// push sends segments until something holds.
	push := func(what string, holds func() bool) {
		t.Helper()
		orchestrator.Wait(what, 2*time.Minute, func() bool {
			s := segs[n%len(segs)]
			_, err := harness.Push("http://"+gateway.front, "paid", fmt.Sprintf("%d.ts", n), s.Data, s.Duration)
			if n++; err != nil {
				last = err // before the nodes have seen the new round, and while no node answers
			}
			return holds()
		})
	}
	push("winners to be handed in", func() bool { return orchestrator.handed() >= 3 })

	redeemer.Signal(syscall.SIGKILL)
	redeemer.Exit(20 * time.Second)
	handed := orchestrator.handed()
	push("winners that wait for the redeemer", func() bool { return orchestrator.count(pm.TicketWon) >= 2 })
	orchestrator.Wait("a condition", time.Minute, func() bool { return orchestrator.has(fault.RedeemerUnreachable) })
	if now := orchestrator.handed(); now > handed+1 {
		t.Errorf("%d tickets were handed to no redeemer", now-handed)
	}

	orchestrator.Signal(syscall.SIGKILL)
	orchestrator.Exit(20 * time.Second)
	orchestrator.start()
	redeemer.start()
	orchestrator.Wait("all winners to be handed in", time.Minute, func() bool {
		return orchestrator.handed() == len(orchestrator.tickets())
	})
	orchestrator.Wait("the condition to go", time.Minute,
		func() bool { return !orchestrator.has(fault.RedeemerUnreachable) })
	redeemed := func() bool {
		there := redeemer.tickets()
		for hash := range orchestrator.tickets() {
			if s := there[hash]; s != pm.TicketMined && s != pm.TicketFinal {
				return false
			}
		}
		return true
	}
	redeemer.Wait("all winners to be redeemed", 2*time.Minute, redeemed)
	orchestrator.Wait("the orchestrator to see it", time.Minute,
		func() bool { return orchestrator.count(pm.TicketHanded) == 0 })
	for _, m := range []*member{gateway, orchestrator, redeemer} {
		m.Signal(syscall.SIGTERM)
		if status := m.Exit(time.Minute); status != 0 {
			t.Errorf("it ended with status %d", status)
		}
	}
}
