package gateway

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/eth/account"
	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/harness"
)

// An operator without a price cap learns what an orchestrator can get at once: from
// the log at the start, and from doctor. With a cap both are silent.
func TestMissingPriceCapIsNamed(t *testing.T) {
	t.Parallel()
	chain := devnet.Start(t, devnet.Options{Args: []string{"-initializeRounds"}})
	for _, row := range []struct {
		name    string
		args    []string
		missing bool
	}{
		{"no cap", nil, true},
		{"a cap of 0", []string{"-maxPricePerUnit", "0"}, true},
		{"a cap that does not count", []string{"-maxPricePerUnit", "2000", "-ignoreMaxPriceIfNeeded"}, true},
		{"a cap", []string{"-maxPricePerUnit", "2000"}, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			pass := filepath.Join(dir, "passphrase")
			if err := os.WriteFile(pass, []byte("open sesame"), 0o600); err != nil {
				t.Fatal(err)
			}
			keys := account.Open(filepath.Join(dir, "keystore"), devnet.KeyCost)
			if _, err := keys.Create(core.NewSecret("open sesame"), rand.Reader, time.Now()); err != nil {
				t.Fatal(err)
			}
			addr := harness.Address(t)
			args := append([]string{"-gateway", "-network", "devnet", "-ethUrl", chain.URL(0), "-ethPassword", pass,
				"-dataDir", dir,
				"-httpAddr", addr, "-cliAddr", harness.Address(t), "-maxTicketEV", "1234567"}, row.args...)
			node := harness.Start(t, binary, args...)
			node.WaitHTTP("http://" + addr + "/healthz")
			says := func(text string) bool {
				return strings.Contains(text, "PriceCapMissing") && strings.Contains(text, "1234567 wei") &&
					strings.Contains(text, "deposit")
			}
			if says(node.Log()) != row.missing {
				t.Errorf("the log at the start: named %v", !row.missing)
			}
			out, _ := harness.Output(t, binary, append([]string{"doctor", "-all", "-only", "price.bound"}, args...)...)
			if says(out) != row.missing || !strings.Contains(out, "price.bound") {
				t.Errorf("doctor says\n%s", out)
			}
		})
	}
}
