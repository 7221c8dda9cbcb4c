package kubernetes

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/eth/account"
	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/harness"
)

// binary is the tutti under test, built once.
var binary string

func TestMain(m *testing.M) { os.Exit(harness.Main(harness.Node(&binary), m.Run)) }

// The addresses of the cluster that is played. Only this test uses them.
const (
	orchestratorAddr = "127.17.0.2"
	transcoderAddr   = "127.17.0.3"
	workersAddr      = "127.17.0.4"
)

// TestFirstStart applies orchestrator and transcoder to a cluster that has neither: both
// become ready. Each needs the other for that.
func TestFirstStart(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs(manifests)
	if err != nil {
		t.Fatal(err)
	}
	objects, said, err := check(t, root)
	if err != nil {
		t.Fatal(err, said)
	}
	chain := devnet.Start(t, devnet.Options{})
	key, pass := fundedKey(t, chain)
	c := &cluster{T: t, objects: objects, values: map[string]string{
		"ethUrl": chain.URL(0), "passphrase": pass, "keystore": key, "orchSecret": strings.Repeat("s", 32),
		"adminToken": strings.Repeat("0a", 32), "aiModels.json": "[]",
	}}
	// There is no GPU here, and a chain of the test's own.
	o := c.run("orchestrator", "StatefulSet", "tutti-orchestrator", orchestratorAddr,
		"arbitrum-one-mainnet", "devnet", "media.example.org", orchestratorAddr)
	dialed := "tutti-orchestrator-workers"
	c.service("orchestrator", dialed, workersAddr)
	w := c.run("transcoder", "Deployment", "tutti-transcoder", transcoderAddr, "-gpu=all", "", dialed, workersAddr)
	w.Wait("the transcoder is ready", 60*time.Second, w.ready)
	o.Wait("the orchestrator is ready", 60*time.Second, o.ready)
}

// fundedKey is a key file of an account with ETH, and its passphrase.
func fundedKey(t *testing.T, chain *devnet.Chain) (key, pass string) {
	t.Helper()
	dir := t.TempDir()
	const secret = "open sesame"
	e, err := account.Open(dir, devnet.KeyCost).Create(core.NewSecret(secret), rand.Reader, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	wei, err := core.ParseEther("5")
	if err != nil {
		t.Fatal(err)
	}
	if err := chain.Control.Fund(t.Context(), common.Address(e.Address), wei); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	return string(text), secret + "\n"
}
