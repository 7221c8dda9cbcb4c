package upgrade

import (
	"encoding/json"
	"fmt"
	"math/big"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/harness"
)

// TestPaidUpgradeOfAGateway: answers that are paid for end in the old process of a gateway, and others are paid for by
// the new one meanwhile. What the orchestrator billed is what was spent, to the wei, and its books add up.
func TestPaidUpgradeOfAGateway(t *testing.T) {
	t.Parallel()
	chain := devnet.Start(t, devnet.Options{Endpoints: 1, BlockTime: 100 * time.Millisecond,
		L1BlockTime: 100 * time.Millisecond, RoundLength: 600, Args: []string{"-initializeRounds"}})
	if err := chain.Control.SetBaseFee(t.Context(), core.NewWei(50_000)); err != nil {
		t.Fatal(err)
	}
	models := filepath.Join(t.TempDir(), "aiModels.json")
	writeFile(t, models, []byte(`[{"pipeline":"llm","model_id":"m","warm":true,"price_per_unit":9000,"pixels_per_unit":1,
		"url":"`+slowModel(t)+`","capacity":8}]`), 0o600)
	o, g := paidPair(t, chain, models)
	gw := "http://" + g.addr
	within(t, 60*time.Second, "a paid answer", func() bool { return chat(t.Context(), gw, nil) == nil })
	var l load
	for range 3 {
		begun := make(chan struct{})
		l.chat(gw, begun)
		<-begun
	}
	pid := g.upgrade()
	g.serves(pid)
	l.chat(gw, nil)
	l.settle(t, 4)
	g.ends(g.p.PID())

	within(t, 20*time.Second, "what was spent to be what was billed", func() bool {
		var income adminapi.Income
		o.read(adminapi.PathIncome, &income)
		billed, ok := new(big.Int).SetString(income.Total.Billed, 10)
		return ok && billed.Sign() > 0 && billed.Cmp(g.spent()) == 0
	})
	var c adminapi.Conditions
	if g.read(adminapi.PathConditions, &c); strings.Contains(fmt.Sprint(c), "Failed") {
		t.Errorf("conditions %+v", c.Conditions)
	}
	o.p.Signal(syscall.SIGTERM)
	o.p.Exit(30 * time.Second)
	if out, status := harness.Output(t, o.program(), "ledger", "verify", "-network", "devnet", "-dataDir",
		filepath.Join(o.dir, "data")); status != 0 {
		t.Errorf("the books do not add up: %s", out)
	}
}

// paidPair is an orchestrator with models and a gateway that pays for them.
func paidPair(t *testing.T, chain *devnet.Chain, models string) (o, g *node) {
	t.Helper()
	addr := harness.Address(t)
	o = paidNode(t, chain, "-orchestrator", "-aiWorker", "-aiModels", models, "-aiAllowUnverified", "-serviceAddr", addr,
		"-httpAddr", addr, "-pricePerUnit", "9000")
	g = paidNode(t, chain, "-gateway", "-transcodingOptions", "P144p30fps16x9")
	o.cli("orchestrator", "activate", "--reward-cut", "10", "--fee-cut", "95", "--stake", "1000", "--service-uri",
		"https://"+addr, "--price-per-unit", "9000")
	g.cli("deposit", "fund", "--deposit", "1ETH", "--reserve", "2ETH")
	if _, err := chain.Control.NextRound(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	return o, g
}

// spent is what all requests to the gateway cost.
func (n *node) spent() *big.Int {
	n.t.Helper()
	out, status := harness.Output(n.t, n.program(), "key", "spend", "-by", "model", "-format", "jsonl", "-network",
		"devnet", "-dataDir", filepath.Join(n.dir, "data"))
	var row struct {
		Paid string `json:"paid_wei"`
	}
	if status != 0 || json.Unmarshal([]byte(strings.TrimSpace(out)), &row) != nil {
		return new(big.Int)
	}
	paid, _ := new(big.Int).SetString(row.Paid, 10)
	return paid
}
