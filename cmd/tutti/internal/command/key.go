package command

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/database"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/apikeystore"
)

const KeyUsage = `usage: tutti key create -name NAME [limits]   make a key and show its secret, this once
       tutti key list                        show keys, limits and what is used
       tutti key revoke NAME|ID              take a key back; a running gateway notices within about a second
       tutti key limits NAME|ID [limits]     change what is given, leave the rest
       tutti key spend [-by F] [-from DAY] [-to DAY] [-key NAME|ID] [-format table|jsonl|csv]
                                             what requests used and cost, by day,key,model (or user, tag)

limits:
  -models a,b*       models it may ask for; * at the end stands for anything; "" allows all
  -rpm N             requests per minute, 0 for no limit
  -tpm N             tokens per minute, 0 for no limit
  -concurrency N     requests in progress, 0 for no limit
  -budget N          tokens per period, 0 for no limit
  -budgetWei N       wei per period, 0 for no limit
  -budgetUSD N       dollars per period, such as 12.50, 0 for no limit
  -period P          day, week, month or total
  -alert N           percent of a budget from which on the condition BudgetAlert is set, 0 for never
  -admin             the key may manage keys over HTTP (-admin=false takes that back)
  -expires T         30d, 12h, 2027-01-31, a time in RFC 3339, or never

  -new               create: make the data directory, where no node has been yet
  -json              write JSON
  -dataDir, -network, -config   as given to the node
`

// ErrKeyUsage asks for the usage text.
var ErrKeyUsage = errors.New("usage")

// RunKey is `tutti key …`.
func RunKey(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if wrong, status := NeedsWord("key", KeyUsage, args, stdout, stderr); wrong {
		return status
	}
	if slices.ContainsFunc(args, AsksHelp) {
		fmt.Fprint(stdout, KeyUsage)
		return ExitOK
	}
	tool := keyTool{now: time.Now, random: rand.Reader, stdout: stdout, stderr: stderr}
	return tool.run(ctx, args)
}

// keyTool works on the keys of a data directory, whether or not a node runs on it.
type keyTool struct {
	now            func() time.Time
	random         io.Reader
	stdout, stderr io.Writer
}

func (t *keyTool) run(ctx context.Context, args []string) int {
	err := t.do(ctx, args)
	switch {
	case err == nil:
		return ExitOK
	case errors.Is(err, ErrKeyUsage):
		return Misused(t.stderr, "key", KeyUsage,
			strings.TrimSuffix(strings.TrimSuffix(err.Error(), ErrKeyUsage.Error()), ": "))
	}
	fmt.Fprintln(t.stderr, Describe(err))
	if c := fault.ClassOf(err); c == fault.Config || errors.Is(err, fault.KeyInvalid) {
		return ExitUsage
	}
	return ExitFailed
}

// KeyAction is what one word does.
type KeyAction struct {
	// named: a key's name or ID follows. makes, limits and json: there are flags
	// for a new name, for limits and for JSON.
	named, makes, limits, JSON bool
	// spend: there are flags that select spend.
	spend bool
	run   func(t *keyTool, ctx context.Context, s *apikeystore.Store, f *KeyFlags) error
}

// keyActions are the words after `tutti key`.
func keyActions() map[string]KeyAction {
	return map[string]KeyAction{
		"create": {makes: true, limits: true, JSON: true, run: (*keyTool).create},
		"list":   {JSON: true, run: (*keyTool).list},
		"revoke": {named: true, run: (*keyTool).revoke},
		"limits": {named: true, limits: true, run: (*keyTool).limits},
		"spend":  {spend: true, run: (*keyTool).spend},
	}
}

func (t *keyTool) do(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return ErrKeyUsage
	}
	action, ok := keyActions()[args[0]]
	if !ok {
		return fmt.Errorf("there is no key %s: %w", args[0], ErrKeyUsage)
	}
	f := NewKeyFlags(action)
	if err := f.Parse(args[1:], action.named); err != nil {
		return err
	}
	dir, err := f.dataDir()
	if err != nil {
		return err
	}
	if err := keyDir("tutti key "+args[0], dir, f.isNew); err != nil {
		return err
	}
	store, err := apikeystore.OpenStore(ctx, dir)
	if err != nil {
		return err
	}
	err = action.run(t, ctx, store, f)
	return errors.Join(err, store.Close())
}

// keyDir makes the data directory where that is wanted. A directory that is no node's has no keys, and a key in it
// opens no gateway: most often the directory is mistyped, or the node runs as another user.
func keyDir(op, dir string, isNew bool) error {
	_, err := os.Stat(filepath.Join(dir, database.FileName))
	if errors.Is(err, fs.ErrNotExist) { // what `tutti move` copied is a node's too
		_, err = os.Stat(filepath.Join(dir, "keystore"))
	}
	switch {
	case err == nil || isNew:
	case errors.Is(err, fs.ErrNotExist):
		return fault.New(fault.KeyDirUnknown, op, "no node has used the data directory "+dir)
	default:
		return fault.Wrap(fault.DataDirUnusable, op, err)
	}
	if !isNew {
		return nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fault.Wrap(fault.DataDirUnusable, "make data directory "+dir, err)
	}
	return nil
}

func (t *keyTool) create(ctx context.Context, s *apikeystore.Store, f *KeyFlags) error {
	k := apikeys.Key{Name: f.name}
	if err := f.apply(&k, t.now()); err != nil {
		return err
	}
	k, secret, err := s.Create(ctx, k, t.now(), t.random)
	if err != nil {
		return err
	}
	if f.JSON {
		row := apikeys.NewRow(k, apikeys.Usage{}, t.now())
		row.Secret = secret
		return WriteJSON(t.stdout, row)
	}
	// The secret alone on standard output, so that a script can keep it.
	fmt.Fprintf(t.stderr, "key %s (%s) made; this is the only time that its secret is shown\n", k.Name, k.ID)
	_, err = fmt.Fprintln(t.stdout, secret)
	return err
}

func (t *keyTool) revoke(ctx context.Context, s *apikeystore.Store, f *KeyFlags) error {
	k, err := s.Revoke(ctx, f.which, t.now())
	if err == nil {
		_, err = fmt.Fprintf(t.stdout, "key %s (%s) revoked\n", k.Name, k.ID)
	}
	return err
}

func (t *keyTool) limits(ctx context.Context, s *apikeystore.Store, f *KeyFlags) error {
	if len(f.given) == 0 {
		return fmt.Errorf("nothing to change was given: %w", ErrKeyUsage)
	}
	k, err := s.SetLimits(ctx, f.which, t.now(), func(k *apikeys.Key) error { return f.apply(k, t.now()) })
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(t.stdout, "key %s (%s) changed\n", k.Name, k.ID)
	return err
}

func (t *keyTool) list(ctx context.Context, s *apikeystore.Store, f *KeyFlags) error {
	list, usage, err := s.Load(ctx)
	if err != nil {
		return err
	}
	rows := newKeyRows(list, usage, t.now())
	if f.JSON {
		return WriteJSON(t.stdout, rows)
	}
	return writeKeyTable(t.stdout, rows)
}
