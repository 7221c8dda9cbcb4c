package upgrade

import (
	"crypto/rand"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/eth/account"
	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/harness"
)

const passphrase = "open sesame"

// paidNode starts a node with an account of its own that has money.
func paidNode(t *testing.T, chain *devnet.Chain, args ...string) *node {
	t.Helper()
	dir := t.TempDir()
	n := &node{t: t, dir: dir, addr: harness.Address(t), admin: harness.Address(t)}
	n.install(readFile(t, binary))
	pass := filepath.Join(dir, "passphrase")
	writeFile(t, pass, []byte(passphrase), 0o600)
	e, err := account.Open(filepath.Join(dir, "data", "keystore"), devnet.KeyCost).Create(core.NewSecret(passphrase),
		rand.Reader, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	ether, err := core.ParseEther("10")
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		chain.Control.Fund(t.Context(), common.Address(e.Address), ether),
		chain.Control.FundLPT(t.Context(), common.Address(e.Address), core.LPTTokens(1000)),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	n.p = harness.Start(t, n.program(),
		append([]string{"-network", "devnet", "-ethUrl", strings.Join(chain.Info.Endpoints, ","), "-ethPassword", pass,
			"-dataDir", filepath.Join(dir, "data"), "-cliAddr", n.admin, "-httpAddr", n.addr, "-blockPollingInterval", "1s"},
			args...)...)
	n.p.WaitHTTP("http://" + n.admin + "/healthz")
	return n
}

// cli runs tutti_cli on the node until it succeeds: a round may be between two others.
func (n *node) cli(words ...string) {
	n.t.Helper()
	args := append([]string{"--url", "http://" + n.admin, "--token-file", filepath.Join(n.dir, "data", "admin.token"),
		"--yes", "--no-color"}, words...)
	n.p.Wait("tutti_cli "+strings.Join(words, " "), 60*time.Second, func() bool {
		_, status := harness.Output(n.t, tool, args...)
		return status == 0
	})
}

// TestPaidUpgrade: the ledger changes hands while payments come in.
func TestPaidUpgrade(t *testing.T) {
	t.Parallel()
	chain := devnet.Start(t, devnet.Options{Endpoints: 2, BlockTime: 100 * time.Millisecond,
		L1BlockTime: 100 * time.Millisecond, RoundLength: 300, Args: []string{"-initializeRounds"}})
	if err := chain.Control.SetBaseFee(t.Context(), core.NewWei(50_000)); err != nil {
		t.Fatal(err)
	}
	addr := harness.Address(t)
	o := paidNode(t, chain, "-orchestrator", "-transcoder", "-serviceAddr", addr, "-httpAddr", addr, "-pricePerUnit",
		"9000")
	g := paidNode(t, chain, "-gateway", "-transcodingOptions", "P144p30fps16x9")
	o.cli("orchestrator", "activate", "--reward-cut", "10", "--fee-cut", "95", "--stake", "1000", "--service-uri",
		"https://"+addr, "--price-per-unit", "9000")
	g.cli("deposit", "fund", "--deposit", "1ETH", "--reserve", "2ETH")
	if _, err := chain.Control.NextRound(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	segs := segments(t, 6)
	gw := "http://" + g.addr
	within(t, 60*time.Second, "a paid segment", func() bool {
		_, err := harness.Push(gw, "first", "0.ts", segs[0].Data, segs[0].Duration)
		return err == nil
	})
	var l load
	for i := range 3 {
		l.stream(gw, fmt.Sprintf("paid%d", i), segs, time.Duration(i)*400*time.Millisecond)
	}
	within(t, 20*time.Second, "sessions", func() bool { return o.drain().Sessions >= 3 })
	pid := o.upgrade()
	o.serves(pid)
	l.settle(t, 3*len(segs))
	var c adminapi.Conditions
	if o.read(adminapi.PathConditions, &c); strings.Contains(fmt.Sprint(c), "Ledger") {
		t.Errorf("conditions %+v", c.Conditions)
	}
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	o.ends(pid)
	out, status := harness.Output(t, o.program(), "ledger", "verify", "-network", "devnet", "-dataDir",
		filepath.Join(o.dir, "data"))
	if status != 0 {
		t.Errorf("the books do not add up: %s", out)
	}
}
