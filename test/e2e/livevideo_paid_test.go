package e2e

import (
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/test/livevideo"
)

// paidVideo is a chain, an orchestrator with a runner of live video that has a price, and a gateway with money. The
// runner is the orchestrator's, or that of an AI worker elsewhere.
func paidVideo(t *testing.T, elsewhere bool) (orchestrator, gateway *member, runner *liveRunner) {
	t.Helper()
	cli, err := harness.BuildTool(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	const l1 = 250 * time.Millisecond
	chain := devnet.Start(t, devnet.Options{BlockTime: l1, L1BlockTime: l1, RoundLength: 900,
		Args: []string{"-initializeRounds"}})
	runner = startLiveRunner(t, "127.0.0.1:0")
	runner.prefix = ""
	models := filepath.Join(t.TempDir(), "aiModels.json")
	where := `"url": "http://` + runner.addr + `", "capacity": 1`
	if elsewhere {
		where = `"remote": true`
	}
	if err := os.WriteFile(models, []byte(`[{"pipeline": "live-video-to-video", "model_id": "noop", "warm": true,
		`+where+`, "price_per_unit": 1000}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	orchestrator = newMember(t, chain, cli, "-orchestrator", "-aiWorker", "-aiModels", models, "-pricePerUnit", "1000",
		"-livePaymentInterval", "1s", "-orchSecret", liveSecret)
	orchestrator.args = append(orchestrator.args, "-serviceAddr", orchestrator.front)
	gateway = newMember(t, chain, cli, "-gateway", "-orchAddr", orchestrator.front, "-liveMediaAddr",
		harness.Address(t), "-livePaymentInterval", "1s")
	if err := chain.Control.FundLPT(t.Context(), common.Address(orchestrator.account), core.LPTTokens(1000)); err != nil {
		t.Fatal(err)
	}
	for _, m := range []*member{orchestrator, gateway} {
		m.start()
	}
	orchestrator.run("orchestrator", "activate", "--reward-cut", "10", "--fee-cut", "95", "--stake", "1000",
		"--service-uri", "https://"+orchestrator.front, "--price-per-unit", "1000")
	gateway.run("deposit", "fund", "--deposit", "1ETH", "--reserve", "2ETH")
	if _, err := chain.Control.NextRound(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	orchestrator.awaitActive()
	if elsewhere {
		runnerWorker(t, orchestrator.front, runner)
	}
	return orchestrator, gateway, runner
}

// Live video is paid while it is watched: what the gateway paid is what the orchestrator received, and it charges no
// more than that. A gateway that is killed pays no more, and its session ends when its credit does.
func TestLiveVideoIsPaid(t *testing.T) { testPaidVideo(t, false) }

// The same holds where the runner is an AI worker's: the orchestrator charges.
func TestLiveVideoOnAnAIWorkerIsPaid(t *testing.T) { testPaidVideo(t, true) }

func testPaidVideo(t *testing.T, elsewhere bool) {
	t.Helper()
	orchestrator, gateway, runner := paidVideo(t, elsewhere)
	base := "http://" + gateway.front + "/live/video-to-video/"
	income := func() adminapi.IncomeRow {
		return fetched[adminapi.Income](t, orchestrator.admin, adminapi.PathIncome).Total
	}
	awaitModel(t, orchestrator.Process, orchestrator.front, "noop", "ready")
	// Until the orchestrator has seen the deposit it takes no stream.
	name, n := "", 0
	gateway.Wait("a stream at the orchestrator", time.Minute, func() bool {
		log := gateway.Log()
		if name == "" || strings.Contains(log, "a live stream ends stream="+name) {
			n++
			name = fmt.Sprint("cam", n)
			livevideo.Publish(t, base+name+"/whip?pipeline=noop&streamId="+name)
		}
		return strings.Contains(log, "a live stream runs at an orchestrator stream="+name)
	})
	// Payments that were refused at first count as paid here and as nothing there.
	refused := func() core.Wei {
		paid := fetched[adminapi.Spending](t, gateway.admin, adminapi.PathSpending)
		return wei(t, paid.Value, income().Received)
	}
	before := refused()
	v := livevideo.Watch(t, base+name+"-out/whep")
	gateway.Wait("pictures", 30*time.Second, func() bool { return v.Count() > 20 && v.Whole() })
	gateway.Wait("payments of further intervals", 30*time.Second, func() bool { return income().Jobs >= 5 })
	if runner.busy.Load() != 1 {
		t.Errorf("%d sessions at the runner", runner.busy.Load())
	}
	gateway.Wait("books that agree to the wei", 20*time.Second, func() bool { return refused().Cmp(before) == 0 })
	gateway.Signal(syscall.SIGKILL)
	gateway.Exit(20 * time.Second)
	orchestrator.Wait("the end of a session that nothing pays for", 40*time.Second,
		func() bool { return runner.busy.Load() == 0 })
	if got := income(); got.Billed == "0" || wei(t, got.Received, got.Billed).IsZero() {
		t.Errorf("billed %s of %s", got.Billed, got.Received)
	}
}

// wei is the difference of two amounts of the admin API, which is not negative, rounded down.
func wei(t *testing.T, text, less string) core.Wei {
	t.Helper()
	r, ok := new(big.Rat).SetString(text)
	s, also := new(big.Rat).SetString(less)
	if !ok || !also {
		t.Fatal(text, less)
	}
	r.Sub(r, s)
	w, err := core.WeiOf(new(big.Int).Quo(r.Num(), r.Denom()))
	if err != nil {
		t.Fatalf("%s is less than %s: %v", text, less, err)
	}
	return w
}
