package monitoring

import (
	"crypto/rand"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/eth/account"
	"github.com/tuttinode/tutti/eth/contracts"
	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/harness"
)

// An orchestrator on a real local chain that is not registered: the metrics show its
// money, the round and its endpoint, and it explains why no jobs come.
func TestAnUnregisteredOrchestratorExplainsItself(t *testing.T) {
	t.Parallel()
	chain := devnet.Start(t, devnet.Options{})
	dir := t.TempDir()
	pass := filepath.Join(dir, "passphrase")
	write(t, pass, "open sesame\n")
	e, err := account.Open(filepath.Join(dir, "keystore"), devnet.KeyCost).Create(core.NewSecret("open sesame"),
		rand.Reader, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	wei, err := core.ParseEther("2.5")
	if err != nil {
		t.Fatal(err)
	}
	if err := chain.Control.Fund(t.Context(), common.Address(e.Address), wei); err != nil {
		t.Fatal(err)
	}
	p, admin := tutti(t, "-transcoder", "-network", contracts.Devnet, "-ethUrl", chain.URL(0), "-ethController",
		chain.Info.Controller.String(),
		"-ethPassword", pass, "-ethKeystorePath", filepath.Join(dir, "keystore"), "-pricePerUnit", "1200")
	var text string
	p.Wait("the chain's figures", limit, func() bool {
		_, body := harness.Get(t, "http://"+admin+"/metrics")
		text = string(body)
		return strings.Contains(text, "\ntutti_round{") && strings.Contains(text, "\ntutti_pool_size{")
	})
	for _, series := range []string{
		`tutti_native_balance_gwei\{[^}]*\} 2\.5e\+09`, `tutti_registered\{[^}]*\} 0`, `tutti_active\{[^}]*\} 0`,
		`tutti_stake_lpt\{[^}]*\} 0`,
		`tutti_rpc_up\{endpoint="http://127[^}]*\} 1`, `tutti_chain_stale\{[^}]*\} 0`, `tutti_pool_rank\{[^}]*\} 0`,
		`tutti_reward_state\{`,
	} {
		if !regexp.MustCompile(`(?m)^` + series).MatchString(text) {
			t.Errorf("%s is not there", series)
		}
	}
	if said := promtoolIn(t, text); strings.Contains(said, "tutti_") {
		t.Error(said)
	}
	out, status := harness.Output(t, node, "doctor", "explain", "-node", "http://"+admin)
	if status != 0 || !strings.Contains(out, "No jobs can come now") ||
		!strings.Contains(out, "1. [blocker] The account is not registered as an orchestrator. (NotRegistered)") ||
		!strings.Contains(out, "What to do: ") {
		t.Errorf("%d %s", status, out)
	}
	out, status = harness.Output(t, node, "doctor", "explain", "-json", "-node=http://"+admin)
	var answer adminapi.Explanation
	if err := json.Unmarshal([]byte(out), &answer); err != nil || status != 0 || len(answer.Findings) == 0 ||
		answer.Findings[0].Code != "NotRegistered" || answer.Place == nil {
		t.Errorf("%d %v %s", status, err, out)
	}
}

// promtoolIn is what promtool says of metrics.
func promtoolIn(t *testing.T, text string) string {
	t.Helper()
	cmd := exec.Command(filepath.Join(programs, "promtool"), "check", "metrics")
	cmd.Stdin = strings.NewReader(text)
	out, _ := cmd.CombinedOutput() // names of the existing node are not as they should be
	return string(out)
}
