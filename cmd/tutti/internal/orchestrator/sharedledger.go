package orchestrator

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/nodedb"
	"github.com/tuttinode/tutti/core/database"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
	"github.com/tuttinode/tutti/pm/redeemer"
)

// storePatience bounds one transaction of the ledger in a database elsewhere.
const storePatience = 10 * time.Second

// sharedDatabase is the node's part of a database that several share; nil without -store.
type sharedDatabase struct {
	store *nodedb.Store
	// writer writes this node's book, shared reads what all have in common.
	writer, reader, shared *sql.DB
	// leads is nil where another process redeems.
	leads func() (leads bool, took time.Duration)
}

// openStore opens the node's book in the database of -store.
func (p *Earning) openStore(ctx context.Context) (*ledger.Ledger, pm.Opening, error) {
	s, err := nodedb.ParseStore(p.Config.Storage.Store.Reveal())
	if err == nil {
		err = s.Name(p.Config.Storage.DataDir)
	}
	if err != nil {
		return nil, pm.Opening{}, err
	}
	p.shared = &sharedDatabase{store: s, writer: s.Writer(), reader: s.BookReader(), shared: s.SharedReader()}
	p.shared.reader.SetMaxOpenConns(ledgerReaders)
	p.shared.shared.SetMaxOpenConns(ledgerReaders)
	p.Add(storeConnections{p.shared})
	host, _ := os.Hostname() // only for people
	ctx, cancel := context.WithTimeout(ctx, 3*storePatience)
	defer cancel()
	if err := ledger.OpenBook(ctx, p.shared.writer, ledger.Book{Name: s.Book, Recipient: p.chain.Orchestrator, Host: host},
		time.Now()); err != nil {
		return nil, pm.Opening{}, nodedb.StoreFault("open the book", err)
	}
	if err := p.checkOldLedger(ctx); err != nil {
		return nil, pm.Opening{}, err
	}
	l, o, err := ledger.Open(ctx, ledger.Options{
		DB: p.shared.writer, Reader: p.shared.reader, TxTimeout: storePatience,
		Full: nodedb.StoreFull, Transient: nodedb.StoreTransient, Damaged: nodedb.StoreDamaged, Lost: nodedb.StoreLost,
		Mark: nodedb.Mark(p.Config.Storage.DataDir, s.Book), Head: p.layer1, Rand: rand.Reader, Now: time.Now,
		Board: p.Board, Log: p.Log,
	})
	if err == nil {
		p.Log.Info("ledger in PostgreSQL", "book", s.Book)
	}
	return l, o, err
}

// checkOldLedger refuses to start where the data directory has winning tickets on their
// way that the store does not know.
func (p *Earning) checkOldLedger(ctx context.Context) error {
	const op = "look for an older ledger"
	path := filepath.Join(p.Config.Storage.DataDir, database.FileName)
	db, err := nodedb.OpenReadOnly(path)
	if err != nil {
		return err
	}
	defer db.Close()
	old, err := ledger.NewReader(ctx, db)
	if errors.Is(err, fault.LedgerAbsent) {
		return nil
	}
	if err != nil {
		return err
	}
	winners, err := old.Winners(ctx, ledger.Filter{States: ledger.Unfinished()})
	if err != nil {
		return err
	}
	left := 0
	for i := range winners {
		known, err := ledger.SharedReader(p.shared.shared).Winners(ctx, ledger.Filter{Hash: winners[i].Hash})
		if err != nil {
			return nodedb.StoreFault(op, err)
		}
		if len(known) == 0 {
			left++
		}
	}
	if left > 0 {
		return fault.New(fault.StoreLeftBehind, op, fmt.Sprintf("%d winning tickets in %s", left, path))
	}
	return nil
}

// newLeader redeems for all books whenever no other node does.
func (p *Earning) newLeader(opt redeemer.Options) *redeemer.Leader {
	s := p.shared
	return redeemer.NewLeader(redeemer.LeaderOptions{
		Run:    s.lead,
		Shared: ledger.SharedReader(s.shared), Own: p.Ledger, Redeemer: opt, Board: p.Board, Log: p.Log, Now: time.Now,
	})
}

// lead runs f while this node has the leader's lock; with the connection it goes.
func (s *sharedDatabase) lead(ctx context.Context, f func(context.Context, redeemer.Term) error) error {
	// To ask which node leads costs no new connection.
	asking, cancel := context.WithTimeout(ctx, storePatience)
	defer cancel()
	if led, err := ledger.SharedReader(s.shared).HasLeader(asking); err != nil || led {
		return errors.Join(err, fault.StoreNotLeading)
	}
	db := s.store.Leader()
	defer func() { _ = db.Close() }()
	term, err := ledger.Lead(asking, db, s.store.Book, time.Now)
	if err != nil {
		return err
	}
	return f(ctx, term)
}

// storeConnections are closed when no other component uses the database any more.
type storeConnections struct{ *sharedDatabase }

// Name returns the component's name.
func (storeConnections) Name() string { return "ledger's database" }

// Run closes the connections when ctx ends.
func (s storeConnections) Run(ctx context.Context, ready func()) error {
	ready()
	<-ctx.Done()
	return errors.Join(s.writer.Close(), s.reader.Close(), s.shared.Close())
}
