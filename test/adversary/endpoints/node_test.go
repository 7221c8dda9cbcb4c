package endpoints

import (
	"context"
	"crypto/ecdsa"
	crand "crypto/rand"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/ethereum/go-ethereum/crypto"
	"github.com/mattn/go-sqlite3"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/database"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/eth/account"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
	"github.com/tuttinode/tutti/test/coretest"
	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/harness"
)

// node is a real node with an account, over all lives of its process.
type node struct {
	*harness.Process
	w       *world
	dir     string
	account core.Address
	admin   string
	args    []string
}

// newNode makes the data directory of a node with a key; args are those besides the
// chain's.
func (w *world) newNode(key *ecdsa.PrivateKey, args ...string) *node {
	w.Helper()
	n := &node{w: w, dir: w.TempDir(), admin: harness.Address(w), account: coretest.AddressOf(key)}
	pass := filepath.Join(n.dir, "passphrase")
	w.must(os.WriteFile(pass, []byte("open sesame"), 0o600))
	private := core.NewSecret(hex.EncodeToString(crypto.FromECDSA(key)))
	_, err := account.Open(filepath.Join(n.dir, "keystore"), devnet.KeyCost).ImportKey(private,
		core.NewSecret("open sesame"), crand.Reader, time.Now())
	w.must(err)
	n.args = append([]string{"-network", "devnet", "-ethUrl", strings.Join(w.urls, ","), "-ethPassword", pass,
		"-dataDir", n.dir,
		"-cliAddr", n.admin, "-blockPollingInterval", "1s", "-v", "6"}, args...)
	return n
}

// orchestrator is a node that redeems the first orchestrator's tickets.
func (w *world) orchestrator(key *ecdsa.PrivateKey) *node {
	w.Helper()
	front := harness.Address(w)
	return w.newNode(key, "-orchestrator", "-orchSecret", "adversary", "-serviceAddr", front, "-httpAddr", front,
		"-pricePerUnit", "9000", "-reward=false")
}

func (n *node) start() {
	n.w.Helper()
	n.Process = harness.Start(n.w, filepath.Join(bin, "tutti"), n.args...)
	n.WaitHTTP("http://" + n.admin + "/healthz")
}

func (n *node) stop() {
	n.w.Helper()
	n.Signal(syscall.SIGTERM)
	if status := n.Exit(60 * time.Second); status != 0 {
		n.w.Fatalf("the node ended with status %d", status)
	}
}

// cli runs tutti_cli once.
func (n *node) cli(words ...string) (string, int) {
	n.w.Helper()
	args := append([]string{"--url", "http://" + n.admin, "--token-file", filepath.Join(n.dir, "admin.token"), "--yes",
		"--no-color"}, words...)
	return harness.Output(n.w, filepath.Join(bin, "tutti_cli"), args...)
}

// states counts the node's winning tickets by state.
func (n *node) states() map[pm.TicketState]int {
	n.w.Helper()
	_, body := harness.Get(n.w, "http://"+n.admin+adminapi.PathTickets+"?limit=1000")
	var page adminapi.Tickets
	n.w.must(json.Unmarshal(body, &page))
	out := make(map[pm.TicketState]int)
	for _, t := range page.Tickets {
		out[pm.TicketState(t.State)]++
	}
	return out
}

// paid reports whether so many tickets are paid.
func (n *node) paid(want int) bool {
	s := n.states()
	return s[pm.TicketMined]+s[pm.TicketFinal] >= want
}

// shows reports whether a condition is set that names a text.
func (n *node) shows(code fault.Code, about string) bool {
	n.w.Helper()
	_, body := harness.Get(n.w, "http://"+n.admin+adminapi.PathConditions)
	var page struct{ Conditions []json.RawMessage }
	n.w.must(json.Unmarshal(body, &page))
	for _, c := range page.Conditions {
		if strings.Contains(string(c), `"`+string(code)+`"`) && strings.Contains(string(c), about) {
			return true
		}
	}
	return false
}

// knows waits until the node has a view of the chain.
func (n *node) knows() {
	n.w.Helper()
	n.Wait("the round", time.Minute, func() bool {
		_, body := harness.Get(n.w, "http://"+n.admin+"/roundInitialized")
		return string(body) == "true"
	})
}

// owns puts winners into the node's ledger while it does not run.
func (n *node) owns(all []pm.Winner) {
	n.w.Helper()
	ctx := n.w.Context()
	driver := database.Driver{Name: "sqlite3", Busy: func(err error) bool {
		e, ok := errors.AsType[sqlite3.Error](err)
		return ok && e.Code == sqlite3.ErrBusy
	}}
	db, err := driver.Open(ctx, n.dir, func(context.Context, *sql.DB) error { return nil })
	n.w.must(err)
	defer func() { n.w.must(db.Close()) }()
	log := slog.New(slog.DiscardHandler)
	books, _, err := ledger.Open(ctx, ledger.Options{DB: db, Rand: crand.Reader, Now: time.Now,
		Board: health.New(log, time.Now, nil), Log: log})
	n.w.must(err)
	running, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { _ = books.Run(running, func() {}) })
	err = books.Append(ctx, pm.Entries{Winners: all})
	cancel()
	wg.Wait()
	n.w.must(err)
}
