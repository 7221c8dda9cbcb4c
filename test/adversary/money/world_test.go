package money

import (
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	_ "github.com/mattn/go-sqlite3" // the database of the node

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/database"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/eth/account"
	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/test/pipelines"
)

const (
	// What work costs, in wei: a token 2 gwei, a millisecond of sound 0.002 gwei.
	tokenPrice = 2_000_000_000
	soundPrice = 2_000_000
	pixelPrice = "9000"
	passphrase = "open sesame"
	// l1Time is how fast the chain's clock goes: ticket parameters last 40 blocks.
	l1Time = time.Second
)

// world is a chain and one orchestrator that takes segments, prompts and sound.
type world struct {
	*testing.T
	chain  *devnet.Chain
	runner *pipelines.Runner
	*node
}

// node is one tutti process with an account, over all its lives.
type node struct {
	t            *testing.T
	dir          string
	admin, front string
	account      core.Address
	args         []string
	*harness.Process
}

// newWorld starts the chain and the orchestrator, which is active when it returns.
// args are further flags of the orchestrator.
func newWorld(t *testing.T, args ...string) *world {
	t.Helper()
	w := &world{T: t, runner: pipelines.Start(t), chain: devnet.Start(t, devnet.Options{
		BlockTime: 100 * time.Millisecond, L1BlockTime: 100 * time.Millisecond, RoundLength: 2000,
		Args: []string{"-initializeRounds"},
	})}
	w.must(w.chain.Control.SetBaseFee(t.Context(), core.NewWei(50_000)))
	w.node = w.newNode("orchestrator")
	w.must(w.chain.Control.FundLPT(t.Context(), common.Address(w.account), core.LPTTokens(1000)))
	w.args = append(w.args, "-orchestrator", "-transcoder", "-aiWorker", "-aiModels", w.models(), "-aiAllowUnverified",
		"-serviceAddr", w.front, "-pricePerUnit", pixelPrice)
	w.args = append(w.args, args...)
	w.start()
	w.cli("orchestrator", "activate", "--reward-cut", "10", "--fee-cut", "95", "--stake", "1000",
		"--service-uri", "https://"+w.front, "--price-per-unit", pixelPrice)
	_, err := w.chain.Control.NextRound(t.Context(), true)
	w.must(err)
	w.must(w.chain.Control.SetL1BlockTime(t.Context(), l1Time))
	return w
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// models is a models file with a language model and one that transcribes.
func (w *world) models() string {
	w.Helper()
	type entry map[string]any
	all := []entry{
		{"pipeline": "llm", "model_id": pipelines.Model("llm"), "price_per_unit": tokenPrice,
			"url": w.runner.URL("llm")},
		{"pipeline": "audio-to-text", "model_id": pipelines.Model("audio-to-text"), "price_per_unit": soundPrice,
			"url": w.runner.URL("audio-to-text")},
	}
	for _, e := range all {
		e["warm"], e["pixels_per_unit"], e["capacity"] = true, 1, 16
	}
	content, err := json.Marshal(all)
	w.must(err)
	path := filepath.Join(w.TempDir(), "aiModels.json")
	w.must(os.WriteFile(path, content, 0o600))
	return path
}

// newNode makes a data directory with an account that has 10 ETH.
func (w *world) newNode(name string) *node {
	w.Helper()
	n := &node{t: w.T, dir: filepath.Join(w.TempDir(), name), admin: harness.Address(w.T), front: harness.Address(w.T)}
	w.must(os.Mkdir(n.dir, 0o700))
	pass := filepath.Join(w.TempDir(), "passphrase")
	w.must(os.WriteFile(pass, []byte(passphrase), 0o600))
	e, err := account.Open(filepath.Join(n.dir, "keystore"), devnet.KeyCost).Create(core.NewSecret(passphrase),
		rand.Reader, time.Now())
	w.must(err)
	n.account = e.Address
	ether, err := core.ParseEther("10")
	w.must(err)
	w.must(w.chain.Control.Fund(w.Context(), common.Address(n.account), ether))
	n.args = []string{"-network", "devnet", "-ethUrl", strings.Join(w.chain.Info.Endpoints, ","), "-ethPassword", pass,
		"-dataDir", n.dir,
		"-cliAddr", n.admin, "-httpAddr", n.front, "-blockPollingInterval", "1s", "-v", "6"}
	return n
}

// start starts the process and waits until it serves.
func (n *node) start(args ...string) {
	n.t.Helper()
	n.Process = harness.Start(n.t, filepath.Join(bin, "tutti"), append(append([]string(nil), n.args...), args...)...)
	n.WaitHTTP("http://" + n.admin + "/healthz")
}

// stop ends the process in order.
func (n *node) stop() {
	n.t.Helper()
	n.Signal(syscall.SIGTERM)
	if status := n.Exit(30 * time.Second); status != 0 {
		n.t.Fatalf("it ended with status %d", status)
	}
}

// cli runs tutti_cli on the node until it succeeds: a round may be between two others.
func (n *node) cli(words ...string) {
	n.t.Helper()
	args := append([]string{"--url", "http://" + n.admin, "--token-file", filepath.Join(n.dir, "admin.token"), "--yes",
		"--no-color"}, words...)
	n.Wait("tutti_cli "+strings.Join(words, " "), 60*time.Second, func() bool {
		_, status := harness.Output(n.t, filepath.Join(bin, "tutti_cli"), args...)
		return status == 0
	})
}

// has reports whether a condition is set.
func (n *node) has(code fault.Code) bool {
	_, body := harness.Get(n.t, "http://"+n.admin+"/api/v1/conditions")
	return strings.Contains(string(body), `"`+string(code)+`"`)
}

// database is the path of the node's database.
func (n *node) database() string { return filepath.Join(n.dir, database.FileName) }

// query reads one text from the node's database.
func (n *node) query(query string, args ...any) (text string) {
	n.t.Helper()
	db, err := sql.Open("sqlite3", "file:"+n.database()+"?mode=ro&_busy_timeout=5000")
	if err == nil {
		err = db.QueryRowContext(n.t.Context(), query, args...).Scan(&text)
	}
	if err != nil {
		n.t.Fatalf("%s: %v", query, err)
	}
	_ = db.Close()
	return text
}

// change changes the database of a node that is stopped.
func (n *node) change(statement string, args ...any) {
	n.t.Helper()
	db, err := sql.Open("sqlite3", "file:"+n.database())
	if err == nil {
		_, err = db.ExecContext(n.t.Context(), statement, args...)
	}
	if err != nil {
		n.t.Fatalf("%s: %v", statement, err)
	}
	_ = db.Close()
}

// credits is how many tickets the books say were credited.
func (n *node) credits() (tickets int) {
	n.t.Helper()
	_, _ = fmt.Sscan(n.query(`SELECT coalesce(sum(tickets), 0) FROM ledger_entry WHERE kind = 1`), &tickets)
	return tickets
}

// billed is the sum of the units of a pipeline in the books.
func (n *node) billed(pipeline string) (units int64) {
	n.t.Helper()
	_, _ = fmt.Sscan(n.query(`SELECT coalesce(sum(units), 0) FROM ledger_entry WHERE kind = 2 AND pipeline = ?`,
		pipeline), &units)
	return units
}

// copyFile copies a file with its mode, or does nothing where there is none.
func copyFile(t *testing.T, from, to string) {
	t.Helper()
	info, err := os.Stat(from)
	if os.IsNotExist(err) {
		return
	}
	var data []byte
	if err == nil {
		data, err = os.ReadFile(from)
	}
	if err == nil {
		err = os.WriteFile(to, data, info.Mode().Perm())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// copyDir copies a directory with everything in it.
func copyDir(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		switch {
		case err != nil:
			return err
		case e.IsDir():
			return os.MkdirAll(filepath.Join(to, name), 0o700)
		case e.Type().IsRegular():
			copyFile(t, path, filepath.Join(to, name))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// ether are so many ETH in wei.
func ether(n int64) *big.Int {
	return new(big.Int).Mul(big.NewInt(n), big.NewInt(1_000_000_000_000_000_000))
}
