package e2e

import (
	"bytes"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/harness"
)

// stockPrograms is where the runners and the client are that use no package but their language's own.
const stockPrograms = "testdata/liverunners/"

// stockRunner is a runner in Python or Node.
type stockRunner struct {
	program, file string
	app           string
	// dollars is the price of an hour.
	dollars string
	// registers says that it registers itself, else the operator's file lists it.
	registers bool
	port      string
}

// stockRunners has each language once in the operator's file and once with heartbeats.
func stockRunners(t *testing.T) []*stockRunner {
	t.Helper()
	all := []*stockRunner{
		{program: "python3", file: "runner.py", app: "python/static", dollars: "1.5"},
		{program: "python3", file: "runner.py", app: "python/dynamic", dollars: "2.25", registers: true},
		{program: "node", file: "runner.cjs", app: "node/static", dollars: "0.9"},
		{program: "node", file: "runner.cjs", app: "node/dynamic", dollars: "3", registers: true},
	}
	for _, r := range all {
		_, r.port, _ = strings.Cut(harness.Address(t), ":")
	}
	return all
}

// start starts the program; it ends with the test.
func (r *stockRunner) start(t *testing.T, orchestrator, secret string) {
	t.Helper()
	args := []string{stockPrograms + r.file, r.port}
	if r.registers {
		args = append(args, orchestrator, secret, r.app, r.dollars)
	}
	var out bytes.Buffer
	cmd := exec.Command(r.program, args...)
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("%s printed\n%s", r.app, &out)
		}
	})
}

// paidRunners is an orchestrator on a chain with the runners, and a remote signer with money.
func paidRunners(t *testing.T, runners []*stockRunner) (orchestrator, signer *member) {
	t.Helper()
	cli, err := harness.BuildTool(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var entries []string
	for _, r := range runners {
		if !r.registers {
			entries = append(entries, fmt.Sprintf(`{"label":%q,"app":%q,"price_info":{"price":%q},
				"runner_url":"http://127.0.0.1:%s","health_url":"/health"}`, "listed "+r.app, r.app, r.dollars, r.port))
		}
	}
	list := filepath.Join(t.TempDir(), "runners.json")
	if err := os.WriteFile(list, []byte(`{"runners":[`+strings.Join(entries, ",")+`]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	const l1, secret = 250 * time.Millisecond, "secret of the runners"
	chain := devnet.Start(t, devnet.Options{BlockTime: l1, L1BlockTime: time.Second, RoundLength: 900,
		Args: []string{"-initializeRounds"}})
	orchestrator = newMember(t, chain, cli, "-orchestrator", "-liveRunnerConfig", list, "-useLiveRunners", "-orchSecret",
		secret, "-pricePerUnit", "9000", "-livePaymentInterval", "1s", "-ticketEV", "100000000000")
	orchestrator.args = append(orchestrator.args, "-serviceAddr", orchestrator.front)
	signer = newMember(t, chain, cli, "-remoteSigner")
	if err := chain.Control.FundLPT(t.Context(), common.Address(orchestrator.account), core.LPTTokens(1000)); err != nil {
		t.Fatal(err)
	}
	for _, r := range runners {
		r.start(t, "https://"+orchestrator.front, secret)
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
	// A payment that is refused is in the signer's books and not in the orchestrator's.
	orchestrator.awaitActive()
	return orchestrator, signer
}

// TestALiveRunnerIsPaidThroughARemoteSigner: runners in Python and Node, listed by the operator and registered by
// themselves, priced in dollars, serve HTTP, events and a WebSocket to applications without a key at once. What the
// signer signed is what the orchestrator received, and each app's bill is its seconds at its price, to the wei.
func TestALiveRunnerIsPaidThroughARemoteSigner(t *testing.T) {
	runners := stockRunners(t)
	orchestrator, signer := paidRunners(t, runners)
	var clients sync.WaitGroup
	prices := make([]string, len(runners))
	for i, r := range runners {
		clients.Go(func() {
			out, err := exec.CommandContext(t.Context(), "python3", stockPrograms+"client.py", "https://"+orchestrator.front,
				"http://"+signer.front, r.app, "4").CombinedOutput()
			if err != nil {
				t.Errorf("the client of %s: %v\n%s", r.app, err, out)
			}
			prices[i] = strings.TrimSpace(string(out))
		})
	}
	clients.Wait()
	if t.Failed() {
		t.FailNow()
	}
	signed := fetched[adminapi.Spending](t, signer.admin, adminapi.PathSpending)
	var income adminapi.Income
	orchestrator.Wait("books that agree to the wei", 20*time.Second, func() bool {
		income = fetched[adminapi.Income](t, orchestrator.admin, adminapi.PathIncome+"?by=model")
		return income.Total.Received == signed.Value && len(income.Rows) >= len(runners)
	})
	for i, r := range runners {
		r.billed(t, income.Rows, prices[i])
	}
	if wei(t, income.Total.Received, income.Total.Billed).IsZero() {
		t.Errorf("received %s, billed %s: payers pay ahead", income.Total.Received, income.Total.Billed)
	}
}

// billed compares an app's row of the books with its seconds at its price.
func (r *stockRunner) billed(t *testing.T, rows []adminapi.IncomeRow, price string) {
	t.Helper()
	for _, row := range rows {
		if row.Model != r.app {
			continue
		}
		each, ok := new(big.Int).SetString(price, 10)
		if !ok {
			t.Fatalf("%s: a price of %q", r.app, price)
		}
		// The client pays four times with two seconds between; it has a minute at most.
		if want := each.Mul(each, big.NewInt(row.Units)); row.Billed != want.String() || row.Units < 8 || row.Units > 60 {
			t.Errorf("%s: billed %s for %d seconds at %s", r.app, row.Billed, row.Units, price)
		}
		t.Logf("%s: %d seconds at %s wei, billed %s", r.app, row.Units, price, row.Billed)
		return
	}
	t.Errorf("%s is not in the books: %+v", r.app, rows)
}
