package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/test/harness"
)

// What works on a data directory asks for no chain: neither an endpoint nor a price, and
// not what else only a running node needs.
func TestCommandsOnADirectoryNeedNoChain(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	keys := filepath.Join(home, ".lpData", "arbitrum-one-mainnet", "keystore")
	if err := os.MkdirAll(keys, 0o700); err != nil {
		t.Fatal(err)
	}
	const key = `{"address":"00000000000000000000000000000000000000aa","crypto":{"cipher":"aes-128-ctr"},"version":3}`
	if err := os.WriteFile(filepath.Join(keys, "UTC--key"), []byte(key), 0o600); err != nil {
		t.Fatal(err)
	}
	conf := filepath.Join(home, "tutti.conf")
	if err := os.WriteFile(conf, []byte("orchestrator\ntranscoder\nnetwork arbitrum-one-mainnet\nmaxSessions several\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	network := []string{"-network", "arbitrum-one-mainnet"}
	for _, c := range []struct {
		args []string
		want string
	}{
		{append([]string{"move", "--dry-run"}, network...), "0x00000000000000000000000000000000000000AA is copied"},
		{[]string{"move", "--dry-run", "-config", conf}, "0x00000000000000000000000000000000000000AA is copied"},
		{[]string{"move", "--dry-run", "-orchestrator", "-network", "arbitrum-one-mainnet", "-maxSessions", "several"},
			"is copied"},
		{append([]string{"move"}, network...), "was copied to"},
		{append([]string{"key", "create", "-name", "app"}, network...), "tk-"},
		{append([]string{"key", "list"}, network...), "app"},
		{[]string{"key", "list", "-config", conf}, "app"},
		{append([]string{"ledger", "show"}, network...), "LedgerAbsent"}, // and not a usage error
	} {
		said, status := command(t, home, c.args...)
		if status == 2 || !strings.Contains(said, c.want) {
			t.Errorf("tutti %s: status %d\n%s", strings.Join(c.args, " "), status, said)
		}
	}
	// What a command line of its own has wrong is still refused.
	if said, status := command(t, home, "move", "-netwrok", "offchain"); status != 2 ||
		!strings.Contains(said, "did you mean -network?") {
		t.Errorf("a mistyped flag: status %d\n%s", status, said)
	}
}

// command runs the program in a home of its own, with nothing of the environment that it
// would read.
func command(t *testing.T, home string, args ...string) (string, int) {
	t.Helper()
	return harness.Output(t, "env",
		append([]string{"-i", "PATH=" + os.Getenv("PATH"), "HOME=" + home, binary}, args...)...)
}
