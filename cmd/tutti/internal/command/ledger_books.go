package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"text/tabwriter"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/nodedb"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/pm/ledger"
)

// openStoreOf opens the database of -store for a command, with the node's book, or the
// one that the address names.
func openStoreOf(cfg *config.Config, named bool) (*nodedb.Store, error) {
	address := cfg.Storage.Store.Reveal()
	if address == "" {
		return nil, fmt.Errorf("which database? -store says it: %w", ErrKeyUsage)
	}
	s, err := nodedb.ParseStore(address)
	if err == nil && named && s.Book == "" {
		if _, err = os.Stat(cfg.Storage.DataDir); err == nil {
			err = s.Known(cfg.Storage.DataDir)
		}
	}
	return s, err
}

// inStore does something with a book of the database of -store.
func (t *ledgerTool) inStore(ctx context.Context, cfg *config.Config, f *ledgerFlags,
	action func(*ledgerTool, context.Context, *ledger.Reader, *ledgerFlags) error) error {
	s, err := openStoreOf(cfg, true)
	if err != nil {
		return err
	}
	db := s.BookReader()
	books, err := ledger.NewReader(ctx, db)
	if err == nil {
		err = action(t, ctx, books, f)
	}
	if nodedb.StoreLost(err) {
		err = nodedb.StoreFault("read the book "+s.Book, err)
	}
	return errors.Join(err, db.Close())
}

// bookView is one line of `tutti ledger books -json`.
type bookView struct {
	Book      string       `json:"book"`
	Host      string       `json:"host"`
	Recipient core.Address `json:"recipient"`
	Opened    string       `json:"opened"`
	InUse     bool         `json:"inUse"`
	Redeems   bool         `json:"redeems"`
	Waiting   int          `json:"waiting"`
	Worth     core.Wei     `json:"worth"`
}

// books lists the books.
func (t *ledgerTool) books(ctx context.Context, cfg *config.Config, f *ledgerFlags) error {
	s, err := openStoreOf(cfg, false)
	if err != nil {
		return err
	}
	db := s.SharedReader()
	all, err := ledger.SharedReader(db).Books(ctx)
	if nodedb.StoreLost(err) {
		err = nodedb.StoreFault("list the books", err)
	}
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	views := make([]bookView, 0, len(all))
	for _, b := range all {
		views = append(views, bookView{b.Name, b.Host, b.Recipient, b.Opened.Format(time.RFC3339), b.InUse, b.Leads,
			b.Waiting, b.Worth})
	}
	if f.JSON {
		return WriteJSON(t.stdout, views)
	}
	tabs := tabwriter.NewWriter(t.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tabs, "BOOK\tHOST\tOPENED\tIN USE\tREDEEMS FOR ALL\tTICKETS TO REDEEM\tWORTH, ETH")
	for _, b := range views {
		fmt.Fprintf(tabs, "%s\t%s\t%s\t%s\t%s\t%d\t%s\n", b.Book, printable(b.Host), b.Opened, yes(b.InUse), yes(b.Redeems),
			b.Waiting, b.Worth.Ether())
	}
	return tabs.Flush()
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
