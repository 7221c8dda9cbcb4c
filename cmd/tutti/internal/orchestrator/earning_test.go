package orchestrator

import (
	"context"
	"crypto/rand"
	"log/slog"
	"testing"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/chain"
	"github.com/tuttinode/tutti/cmd/tutti/internal/nodeenv"
	"github.com/tuttinode/tutti/cmd/tutti/nodedb"
	"github.com/tuttinode/tutti/config"
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

// Reads of the books do not need the only connection that writes.
func TestReadsDoNotHoldPaymentsUp(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, stop := bookkeeper(t, dir)
	stop()
	db, err := nodedb.Driver().Open(t.Context(), dir, nodedb.Connect)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	log := slog.New(slog.DiscardHandler)
	p := &Earning{Env: &nodeenv.Env{Config: &config.Config{}, Log: log, Board: health.New(log, time.Now, nil)},
		chain: &chain.Part{DB: db}}
	p.Config.Storage.DataDir = dir
	books, _, err := p.openLedger(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		for _, c := range p.Components() {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if err := c.Run(ctx, func() {}); err != nil {
				t.Error(err)
			}
		}
	}()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	winners, err := books.Winners(ctx, ledger.Filter{})
	if err != nil || len(winners) != 1 {
		t.Errorf("%d winners, %v", len(winners), err)
	}
	if r, err := books.Verify(ctx); err != nil || !r.OK() {
		t.Errorf("%+v, %v", r, err)
	}
	payers, err := books.Payers(ctx, 10)
	if err != nil || len(payers) != 1 || payers[0] != (core.Address{1}) {
		t.Error(payers, err)
	}
}
