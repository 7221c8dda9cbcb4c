//go:build cgo

package ledger_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/database"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
)

// Commits that are lost while the process runs: a server fails over to a replica that lacks them, or an
// older file is put in the place of the open one. The next entry is refused, an idle ledger notices it as
// well, and the next opening accepts nothing made before.
func TestCommitsLostWhileRunning(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		lose func(t *testing.T, b *books, dir string)
	}{
		{"behind", func(t *testing.T, b *books, _ string) {
			b.spoil(t, `UPDATE ledger_state SET commits = commits - 1, last = last - 1`)
		}},
		{"another file", func(t *testing.T, _ *books, dir string) {
			onlyFile(t)
			must(t, os.Rename(filepath.Join(dir, "copy"), filepath.Join(dir, database.FileName)))
		}},
		{"other content", func(t *testing.T, _ *books, dir string) {
			onlyFile(t)
			content, err := os.ReadFile(filepath.Join(dir, "copy"))
			must(t, err)
			putBack(t, dir, content)
		}},
	} {
		for _, idle := range []bool{false, true} {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				dir, owner, mark := t.TempDir(), account(0, "stream"), &memory{}
				every := time.Hour
				if idle {
					every = 10 * time.Millisecond
				}
				b := open(t, dir, mark.options, func(o *ledger.Options) {
					o.HeadEvery = every
					if !onPostgres() {
						o.InPlace = database.InPlace(dir)
					}
				})
				must(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{credit(owner, 0, 1)}}))
				if !onPostgres() {
					b.spoil(t, `VACUUM INTO '`+filepath.Join(dir, "copy")+`'`)
				}
				must(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{credit(owner, 1, 1)}}))
				c.lose(t, b, dir)
				if !idle {
					want(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{credit(owner, 2, 1)}}), fault.LedgerFailed)
				}
				until(t, "noticed", func() bool { return b.has(fault.LedgerFailed) })
				want(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{credit(owner, 1, 1)}}), fault.LedgerFailed)
				before := b.opening.Current
				_ = b.stop()
				b = open(t, dir, mark.options)
				if o := b.opening; o.Clean || o.Current.Secret == before.Secret {
					t.Errorf("opened again: clean %t, epoch %d after %d", o.Clean, o.Current.ID, before.ID)
				}
			})
		}
	}
}
