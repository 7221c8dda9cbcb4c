package e2e

import (
	"encoding/json"
	"fmt"
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
	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/harness"
)

// signerWorld is a chain, an orchestrator, a remote signer with money, and a gateway without a key.
func signerWorld(t *testing.T) (orchestrator, signer *member, gateway *gatewayWithoutKey) {
	t.Helper()
	cli, err := harness.BuildTool(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	const l1 = 250 * time.Millisecond
	chain := devnet.Start(t, devnet.Options{BlockTime: l1, L1BlockTime: l1, RoundLength: 900,
		Args: []string{"-initializeRounds"}})
	orchestrator = newMember(t, chain, cli, "-orchestrator", "-transcoder", "-pricePerUnit", "9000")
	orchestrator.args = append(orchestrator.args, "-serviceAddr", orchestrator.front)
	signer = newMember(t, chain, cli, "-remoteSigner", "-remoteDiscovery", "-orchAddr", orchestrator.front)
	if err := chain.Control.FundLPT(t.Context(), common.Address(orchestrator.account), core.LPTTokens(1000)); err != nil {
		t.Fatal(err)
	}
	for _, m := range []*member{orchestrator, signer} {
		m.start()
	}
	orchestrator.run("orchestrator", "activate", "--reward-cut", "10", "--fee-cut", "95", "--stake", "1000",
		"--service-uri", "https://"+orchestrator.front, "--price-per-unit", "9000")
	signer.run("deposit", "fund", "--deposit", "1ETH", "--reserve", "2ETH")
	if _, err := chain.Control.NextRound(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	orchestrator.awaitActive()
	gateway = &gatewayWithoutKey{dir: t.TempDir(), admin: harness.Address(t), front: harness.Address(t)}
	gateway.args = []string{"-gateway", "-dataDir", gateway.dir, "-cliAddr", gateway.admin, "-httpAddr", gateway.front,
		"-remoteSignerUrl", "http://" + signer.front, "-transcodingOptions", ladder}
	gateway.start(t)
	return orchestrator, signer, gateway
}

type gatewayWithoutKey struct {
	*harness.Process
	dir, admin, front string
	args              []string
}

func (g *gatewayWithoutKey) start(t *testing.T) {
	t.Helper()
	g.Process = harness.Start(t, binary, g.args...)
	g.WaitHTTP("http://" + g.admin + "/healthz")
}

func fetched[T any](t *testing.T, admin, path string) (out T) {
	t.Helper()
	status, body := harness.Get(t, "http://"+admin+path)
	if err := json.Unmarshal(body, &out); err != nil || status != 200 {
		t.Fatalf("%d %v in %s", status, err, body)
	}
	return out
}

// TestAGatewayWithoutAKey pays through a remote signer, which names the orchestrator too: the books of all three agree,
// also after the signer was killed.
func TestAGatewayWithoutAKey(t *testing.T) {
	orchestrator, signer, gateway := signerWorld(t)
	segs, n := segments(t, small(4)), 0
	push := func() error {
		s := segs[n%len(segs)]
		_, err := harness.Push("http://"+gateway.front, "s", fmt.Sprintf("%d.ts", n), s.Data, s.Duration)
		n++
		return err
	}
	gateway.Wait("a first segment", time.Minute, func() bool { return push() == nil })
	for range 20 {
		if err := push(); err != nil {
			t.Fatal(err)
		}
	}
	signer.Signal(syscall.SIGKILL)
	signer.Exit(20 * time.Second)
	gateway.Wait("a condition that names the signer", time.Minute, func() bool {
		_ = push()
		_, body := harness.Get(t, "http://"+gateway.admin+"/api/v1/conditions")
		return strings.Contains(string(body), string(fault.SignerUnreachable))
	})
	signer.start()
	gateway.Wait("segments with the signer back", time.Minute, func() bool { return push() == nil })
	for range 5 {
		if err := push(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(filepath.Join(gateway.dir, "keystore")); !os.IsNotExist(err) {
		t.Errorf("the gateway has a keystore: %v", err)
	}
	var paid, signed adminapi.Spending
	var got adminapi.Income
	t.Cleanup(func() {
		t.Logf("the gateway paid %s for %s, the signer signed %s, the orchestrator received %s for %s", paid.Value,
			paid.Billed, signed.Value, got.Total.Received, got.Total.Billed)
	})
	gateway.Wait("books that agree to the wei", 20*time.Second, func() bool {
		paid = fetched[adminapi.Spending](t, gateway.admin, adminapi.PathSpending)
		signed = fetched[adminapi.Spending](t, signer.admin, adminapi.PathSpending)
		got = fetched[adminapi.Income](t, orchestrator.admin, adminapi.PathIncome)
		return paid.Value != "0" && paid.Value == signed.Value && got.Total.Received == paid.Value &&
			got.Total.Billed == paid.Billed
	})
}
