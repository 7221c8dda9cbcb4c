package command_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/command"
	"github.com/tuttinode/tutti/cmd/tutti/nodedb"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
)

// bookkeeper runs a ledger in a data directory, as a node does.
func bookkeeper(t *testing.T, dir string) (opening pm.Opening, stop func()) {
	t.Helper()
	db, err := nodedb.Driver().Open(t.Context(), dir, nodedb.Connect)
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	l, opening, err := ledger.Open(t.Context(), ledger.Options{DB: db, Rand: rand.Reader, Now: time.Now,
		Board: health.New(log, time.Now, nil), Log: log})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- l.Run(ctx, func() {}) }()
	account := pm.Account{Sender: core.Address{1}, Key: "33_a model"}
	secret := protocol.Word{1}
	p := pm.Params{FaceValue: core.NewWei(10), WinProb: protocol.Word{0xff}, RecipientRandHash: pm.RandHash(secret),
		Expiration: pm.Expiration{Round: 3}}
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	err = l.Append(t.Context(), pm.Entries{
		Credits: []pm.Credit{{Account: account, RandHash: p.RecipientRandHash, FaceValue: p.FaceValue, WinProb: p.WinProb,
			Nonces: []uint32{1}, ExpirationBlock: 9, Round: 3, At: at}},
		Winners: []pm.Winner{{Hash: p.TicketHash(account.Sender, 1),
			Ticket: p.Winning(account.Sender, pm.Signed{Nonce: 1}, secret), Account: account, Credited: true, Won: at}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return opening, func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		_ = db.Close()
	}
}

func ledgerRun(t *testing.T, dir string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	status = command.RunLedger(t.Context(), append(args, "-dataDir", dir), &out, &errs)
	return status, out.String(), errs.String()
}

func TestLedgerCommand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	opening, stop := bookkeeper(t, dir)
	for _, running := range []bool{true, false} {
		if !running {
			stop()
		}
		var all string
		for args, want := range map[string]string{
			"verify":                       "everything adds up",
			"verify -json":                 `"ok": true`,
			"show":                         "33_a model",
			"show -json":                   `"won": 1`,
			"export":                       "entry,time,round,kind,",
			"export -format json":          `"kind":"credit"`,
			"export -tickets -format json": `"state":"won"`,
			"export -tickets -format=csv":  "ticket,sender,",
		} {
			status, stdout, stderr := ledgerRun(t, dir, strings.Fields(args)...)
			if status != command.ExitOK || stderr != "" || !strings.Contains(stdout, want) {
				t.Errorf("running %v, %s: status %d\n%s\n%s", running, args, status, stdout, stderr)
			}
			if strings.Contains(args, "show -json") && !json.Valid([]byte(stdout)) {
				t.Error(stdout)
			}
			all += stdout
		}
		for _, secret := range []pm.Secret{opening.Current.Secret, opening.Token} {
			if strings.Contains(strings.ToLower(all), protocol.Hash(secret).String()[2:]) {
				t.Error("a secret is shown")
			}
		}
	}
}

// The books are verified where neither the chain nor the key can be reached: from a copy
// of the data directory, by the node's own configuration.
func TestLedgerNeedsNoChain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, stop := bookkeeper(t, dir)
	stop()
	conf := filepath.Join(t.TempDir(), "tutti.conf")
	text := "network arbitrum-one-mainnet\norchestrator true\nethUrl http://127.0.0.1:1\n" +
		"ethPassword /nowhere\nethKeystorePath /nowhere\n"
	if err := os.WriteFile(conf, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"verify", "-config", conf}, {"verify", "-network", "mynet"}, {"verify"}} {
		if status, stdout, stderr := ledgerRun(t, dir, args...); status != command.ExitOK ||
			!strings.Contains(stdout, "everything adds up") {
			t.Errorf("%v: status %d\n%s%s", args, status, stdout, stderr)
		}
	}
}

func TestLedgerCommandMistakes(t *testing.T) {
	t.Parallel()
	empty := t.TempDir()
	if status, _, stderr := ledgerRun(t, empty, "verify"); status != command.ExitFailed ||
		!strings.Contains(stderr, "LedgerAbsent") {
		t.Error(status, stderr)
	}
	for _, args := range []string{"", "balance", "show extra", "export -json", "export -format xml", "verify -tickets"} {
		if status, _, stderr := ledgerRun(t, empty, strings.Fields(args)...); status != command.ExitUsage ||
			!strings.Contains(stderr, "usage: tutti ledger") {
			t.Errorf("%q: %d %s", args, status, stderr)
		}
	}
	dir := t.TempDir()
	_, stop := bookkeeper(t, dir)
	stop()
	db, err := nodedb.Driver().Open(t.Context(), dir, nodedb.Connect)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.ExecContext(t.Context(), `UPDATE ledger_account SET balance = '5'`)
	if err != nil {
		t.Fatal(err)
	}
	_ = db.Close()
	status, stdout, stderr := ledgerRun(t, dir, "verify")
	if status != command.ExitFailed || !strings.Contains(stdout, "problem: account") ||
		!strings.Contains(stderr, "LedgerUnbalanced") {
		t.Error(status, stdout, stderr)
	}
}

// What has no books says which of the reasons it is.
func TestLedgerOfAnotherDirectory(t *testing.T) {
	t.Parallel()
	gateway := t.TempDir()
	db, err := nodedb.Driver().Open(t.Context(), gateway, nodedb.Connect)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), "CREATE TABLE spent_schema (version INTEGER)"); err != nil {
		t.Fatal(err)
	}
	_ = db.Close()
	for dir, want := range map[string]string{gateway: "is a gateway's", t.TempDir(): "no node on a chain has used",
		gateway + "/none": "there is no directory"} {
		if status, _, stderr := ledgerRun(t, dir, "show"); status != command.ExitFailed || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d, %s, want %s", dir, status, stderr, want)
		}
	}
	var out, errs strings.Builder
	if status := command.RunLedger(t.Context(), []string{"-h"}, &out, &errs); status != command.ExitOK ||
		!strings.HasPrefix(out.String(), "usage: ") {
		t.Errorf("-h: status %d, %s", status, errs.String())
	}
}
