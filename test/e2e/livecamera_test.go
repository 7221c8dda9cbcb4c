package e2e

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/cmd/tutti_demo/camera"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/server/livevideo"
	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/harness"
)

// cameraWorld is two orchestrators with the sample pipeline on a chain and a gateway that pays them. It implements
// camera.Parties.
type cameraWorld struct {
	orchestrators [2]*member
	killed        [2]atomic.Bool
	gateway       *member
}

func newCameraWorld(t *testing.T) *cameraWorld {
	t.Helper()
	cli, err := harness.BuildTool(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	const l1 = 250 * time.Millisecond
	chain := devnet.Start(t, devnet.Options{BlockTime: l1, L1BlockTime: l1, RoundLength: 900,
		Args: []string{"-initializeRounds"}})
	w := &cameraWorld{}
	for i := range w.orchestrators {
		m := newMember(t, chain, cli, "-orchestrator", "-liveSampleSessions", "2", "-pricePerUnit", "1000",
			"-livePaymentInterval", "1s")
		m.args = append(m.args, "-serviceAddr", m.front)
		if err := chain.Control.FundLPT(t.Context(), common.Address(m.account), core.LPTTokens(1000)); err != nil {
			t.Fatal(err)
		}
		m.start()
		w.orchestrators[i] = m
	}
	w.gateway = newMember(t, chain, cli, "-gateway", "-orchAddr",
		w.orchestrators[0].front+","+w.orchestrators[1].front, "-liveMediaAddr", harness.Address(t), "-livePaymentInterval",
		"1s", "-liveMinSegment", "250ms", "-liveAllowCORS", "-streamAccess", "open")
	w.gateway.start()
	for _, m := range w.orchestrators {
		m.run("orchestrator", "activate", "--reward-cut", "10", "--fee-cut", "95", "--stake", "1000", "--service-uri",
			"https://"+m.front, "--price-per-unit", "1000")
	}
	w.gateway.run("deposit", "fund", "--deposit", "1ETH", "--reserve", "2ETH")
	if _, err := chain.Control.NextRound(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	for _, m := range w.orchestrators {
		m.awaitActive()
	}
	return w
}

// Orchestrators lists both with their tickets.
func (w *cameraWorld) Orchestrators(context.Context) (out []camera.Orchestrator, err error) {
	paid := fetched[adminapi.Spending](w.gateway.t, w.gateway.admin, adminapi.PathSpending)
	for i, m := range w.orchestrators {
		o := camera.Orchestrator{URL: "https://" + m.front, Running: !w.killed[i].Load(), Paid: "0"}
		for _, row := range paid.Rows {
			if row.Recipient == m.account && row.Model == livevideo.SampleModel {
				o.Tickets, o.Paid = o.Tickets+row.Tickets, wei(w.gateway.t, row.Value, "0").String()
			}
		}
		out = append(out, o)
	}
	return out, nil
}

// Kill kills an orchestrator for good, or its runner, which is replaced.
func (w *cameraWorld) Kill(uri string, runner bool) error {
	for i, m := range w.orchestrators {
		switch {
		case uri != "https://"+m.front:
			continue
		case runner:
			return camera.KillRunner(m.PID())
		}
		m.Signal(syscall.SIGKILL)
		w.killed[i].Store(true)
		return nil
	}
	return errors.New("not here")
}

// load is how many processes want each core, 1 at the least.
func load() float64 {
	var now float64
	text, err := os.ReadFile("/proc/loadavg")
	if err == nil {
		_, err = fmt.Sscan(string(text), &now)
	}
	if err != nil {
		return 1
	}
	return max(1, now/float64(runtime.NumCPU()))
}

// TestTheCameraInABrowser plays live video in Chromium: the demonstration's page, whose runner and orchestrator are
// killed while it plays and whose tickets are counted, and the page that docs/live.md shows to application developers.
func TestTheCameraInABrowser(t *testing.T) {
	part := func(args ...string) string {
		out, err := exec.Command("../../deploy/deps/deps.sh", args...).Output()
		if err != nil {
			t.Fatalf("%v: %v: make parts gets what is missing", args, err)
		}
		return strings.TrimSpace(string(out))
	}
	program, packages := part("browser"), part("npm", "../dashboard")
	w := newCameraWorld(t)
	gateway := "http://" + w.gateway.front
	page, err := camera.New(gateway, "127.0.0.1:0", w)
	if err != nil {
		t.Fatal(err)
	}
	demo := httptest.NewServer(page)
	t.Cleanup(demo.Close)
	text := guideBlock(t, "html page.html", "getUserMedia")
	if strings.Count(text, "http://127.0.0.1:9935") != 1 {
		t.Fatal("the guide's page names no gateway")
	}
	guide := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(strings.Replace(text, "http://127.0.0.1:9935", gateway, 1)))
	}))
	t.Cleanup(guide.Close)
	suite, err := filepath.Abs("testdata/camera.cjs")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", "--test", "--test-reporter=tap", suite)
	cmd.Env = append(os.Environ(), "NODE_PATH="+packages+"/node_modules", "TUTTI_BROWSER="+program,
		fmt.Sprintf("TUTTI_LOAD=%.2f", max(load(), harness.Slowness())),
		"TUTTI_PAGE="+demo.URL, "TUTTI_GUIDE="+guide.URL)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, w.gateway.Log())
	}
	if testing.Verbose() {
		t.Logf("%s", out)
	}
}
