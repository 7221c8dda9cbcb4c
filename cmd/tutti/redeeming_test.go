package main

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/chain"
	"github.com/tuttinode/tutti/cmd/tutti/internal/nodedb"
	"github.com/tuttinode/tutti/cmd/tutti/internal/nodeenv"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/pm/ledger"
)

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
	n := &node{Env: &nodeenv.Env{Config: &config.Config{}, Log: log, Board: health.New(log, time.Now, nil)}, chain: &chain.Part{DB: db}}
	n.Config.Storage.DataDir = dir
	books, _, err := n.openLedger(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		for _, c := range n.Components() {
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
