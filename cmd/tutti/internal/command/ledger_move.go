package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/nodedb"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/database"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm/ledger"
)

// move takes the books of tutti.db into the database of -store.
func (t *ledgerTool) move(ctx context.Context, cfg *config.Config, _ *ledgerFlags) (err error) {
	const op = "move the books"
	dir := cfg.Storage.DataDir
	reading, err := nodedb.OpenReadOnly(filepath.Join(dir, database.FileName))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, reading.Close()) }()
	old, err := ledger.NewReader(ctx, reading)
	if err != nil {
		return err
	}
	s, err := openStoreOf(cfg, false)
	if err == nil {
		err = s.Name(dir)
	}
	if err != nil {
		return err
	}
	lock, err := nodedb.Lock(dir, nodedb.LockName)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	recipient, err := recipientOf(ctx, old, cfg)
	if err != nil {
		return err
	}
	from, err := nodedb.Driver().Open(ctx, dir, nodedb.Connect)
	if err != nil {
		return fault.Wrap(fault.LedgerFailed, op, err)
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	to := s.Writer()
	defer func() { err = errors.Join(err, to.Close()) }()
	host, _ := os.Hostname() // only for people
	if err := ledger.OpenBook(ctx, to, ledger.Book{Name: s.Book, Recipient: recipient, Host: host},
		time.Now()); err != nil {
		return nodedb.StoreFault(op, err)
	}
	if err := ledger.Move(ctx, from, to, s.Book, nodedb.Mark(dir, "")); err != nil {
		return nodedb.StoreFault(op, err)
	}
	_, err = fmt.Fprintf(t.stdout, "the books of %s are the book %s now; start the node with -store\n", dir, s.Book)
	return err
}

// recipientOf returns the account that the books' tickets are paid to.
func recipientOf(ctx context.Context, old *ledger.Reader, cfg *config.Config) (core.Address, error) {
	if !cfg.Chain.Recipient.IsZero() {
		return cfg.Chain.Recipient, nil
	}
	won, err := old.Winners(ctx, ledger.Filter{Limit: 1})
	if err != nil || len(won) > 0 {
		if err != nil {
			return core.Address{}, err
		}
		return won[0].Ticket.Recipient, nil
	}
	return core.Address{}, fault.New(fault.LedgerAbsent, "move the books",
		"no ticket has won, so there is nothing to be lost: start the node with -store")
}
