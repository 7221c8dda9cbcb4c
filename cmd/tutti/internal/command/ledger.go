package command

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tuttinode/tutti/cmd/tutti/nodedb"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/database"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm/ledger"
)

const LedgerUsage = "" +
	`usage: tutti ledger show                 what is in the books: accounts, sets, winning tickets, epochs
       tutti ledger verify               work everything out again; status 1 and the reasons when it does not add up
       tutti ledger export [-tickets]    every entry, or every winning ticket, that is not rolled up
       tutti ledger books                the books of the nodes that share -store, and which node redeems for all
       tutti ledger move                 take the books of tutti.db into -store; the node must not be running

  -json              show and verify: write JSON
  -format F          export: csv (as it is without) or json, one object a line
  -dataDir, -network, -config   as given to the node
  -store X           as given to the node; with book=NAME in it, another node's book

All but move only read, and the node may be running. No secret is ever shown.
`

// RunLedger is `tutti ledger …`.
func RunLedger(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if wrong, status := NeedsWord("ledger", LedgerUsage, args, stdout, stderr); wrong {
		return status
	}
	if slices.ContainsFunc(args, AsksHelp) {
		fmt.Fprint(stdout, LedgerUsage)
		return ExitOK
	}
	tool := ledgerTool{stdout: stdout, stderr: stderr}
	return tool.run(ctx, args)
}

// ledgerTool reads the books of a data directory, whether or not a node runs on it.
type ledgerTool struct{ stdout, stderr io.Writer }

// ledgerFlags are the words behind one action.
type ledgerFlags struct {
	*KeyFlags
	tickets bool
	format  string
}

// ledgerActions are the words after `tutti ledger`.
func ledgerActions() map[string]func(*ledgerTool, context.Context, *ledger.Reader, *ledgerFlags) error {
	return map[string]func(*ledgerTool, context.Context, *ledger.Reader, *ledgerFlags) error{
		"show":   (*ledgerTool).show,
		"verify": (*ledgerTool).verify,
		"export": (*ledgerTool).export,
	}
}

// storeActions are those that are about a database that several nodes share.
func storeActions() map[string]func(*ledgerTool, context.Context, *config.Config, *ledgerFlags) error {
	return map[string]func(*ledgerTool, context.Context, *config.Config, *ledgerFlags) error{
		"books": (*ledgerTool).books,
		"move":  (*ledgerTool).move,
	}
}

func (t *ledgerTool) run(ctx context.Context, args []string) int {
	err := t.do(ctx, args)
	switch {
	case err == nil:
		return ExitOK
	case errors.Is(err, ErrKeyUsage):
		return Misused(t.stderr, "ledger", LedgerUsage,
			strings.TrimSuffix(strings.TrimSuffix(err.Error(), ErrKeyUsage.Error()), ": "))
	}
	fmt.Fprintln(t.stderr, Describe(err))
	return ExitFailed
}

func (t *ledgerTool) do(ctx context.Context, args []string) error {
	if len(args) == 0 || slices.Contains([]string{"-h", "-help", "--help", "help"}, args[0]) {
		return ErrKeyUsage
	}
	action, ok := ledgerActions()[args[0]]
	storing := storeActions()[args[0]]
	if !ok && storing == nil {
		return fmt.Errorf("there is no ledger %s: %w", args[0], ErrKeyUsage)
	}
	f := &ledgerFlags{KeyFlags: NewKeyFlags(KeyAction{JSON: args[0] != "export"}), format: string(ledger.CSV)}
	f.Node["store"] = f.Set.String("store", "", "")
	if args[0] == "export" {
		f.Set.BoolVar(&f.tickets, "tickets", false, "")
		f.Set.StringVar(&f.format, "format", f.format, "")
	}
	if err := f.Parse(args[1:], false); err != nil {
		return err
	}
	if f.format != string(ledger.CSV) && f.format != string(ledger.JSON) {
		return fmt.Errorf("-format is csv or json, not %q: %w", f.format, ErrKeyUsage)
	}
	cfg, err := f.Load()
	switch {
	case err != nil:
		return err
	case storing != nil:
		return storing(t, ctx, cfg, f)
	case cfg.Storage.Store.Reveal() != "":
		return t.inStore(ctx, cfg, f, action)
	}
	dir := cfg.Storage.DataDir
	db, err := nodedb.OpenReadOnly(filepath.Join(dir, database.FileName))
	if err != nil {
		return err
	}
	books, err := ledger.NewReader(ctx, db)
	if errors.Is(err, fault.LedgerAbsent) && isGateways(ctx, db) {
		err = fault.New(fault.LedgerAbsent, "open the ledger",
			dir+" is a gateway's, which has no ledger; what it paid is in tutti_cli spending")
	}
	if err == nil {
		err = action(t, ctx, books, f)
	}
	return errors.Join(err, db.Close())
}

// isGateways reports whether a database has the account of what a gateway paid.
func isGateways(ctx context.Context, db *sql.DB) bool {
	var tables int
	err := db.QueryRowContext(ctx,
		`SELECT count(*) FROM sqlite_schema WHERE name LIKE 'spent!_%' ESCAPE '!'`).Scan(&tables)
	return err == nil && tables > 0
}

func (t *ledgerTool) export(ctx context.Context, books *ledger.Reader, f *ledgerFlags) error {
	if f.tickets {
		return books.ExportTickets(ctx, t.stdout, ledger.Format(f.format))
	}
	return books.Export(ctx, t.stdout, ledger.Format(f.format))
}

func (t *ledgerTool) verify(ctx context.Context, books *ledger.Reader, f *ledgerFlags) error {
	r, err := books.Verify(ctx)
	if err != nil {
		return err
	}
	if f.JSON {
		err = WriteJSON(t.stdout, newLedgerCheck(&r))
	} else {
		err = writeLedgerCheck(t.stdout, &r)
	}
	if err == nil && !r.OK() {
		err = fault.New(fault.LedgerUnbalanced, "verify the ledger", fmt.Sprintf("%d problems", len(r.Problems)+r.More))
	}
	return err
}

func (t *ledgerTool) show(ctx context.Context, books *ledger.Reader, f *ledgerFlags) error {
	o, err := books.Overview(ctx, ledgerLines)
	if err != nil {
		return err
	}
	if f.JSON {
		return WriteJSON(t.stdout, newLedgerView(&o))
	}
	return writeLedgerView(t.stdout, newLedgerView(&o))
}
