//go:build cgo

package ledger_test

import (
	"testing"
	"time"

	"github.com/tuttinode/tutti/pm/ledger"
)

// A node that crashes again and again still knows every secret whose parameters
// somebody may have: they are forgotten by their age, and not by their number.
func TestOldEpochsAreForgotten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var b *books
	for range 30 {
		b = open(t, dir)
	}
	if n := len(b.opening.Retired); n != 29 || b.opening.Retired[28].ID != 1 {
		t.Error(n)
	}
	soon := open(t, dir, func(o *ledger.Options) { o.Now = func() time.Time { return start.Add(time.Hour) } })
	if len(soon.opening.Retired) != 30 {
		t.Error(len(soon.opening.Retired))
	}
	last := open(t, dir, func(o *ledger.Options) { o.Now = func() time.Time { return start.Add(2*time.Hour + 1) } })
	if len(last.opening.Retired) != 2 {
		t.Error(len(last.opening.Retired))
	}
}

// What does nothing but crash does not remember without end.
func TestEpochsAreBounded(t *testing.T) {
	onlyFile(t)
	t.Parallel()
	dir := t.TempDir()
	b := open(t, dir)
	_, err := b.db.ExecContext(t.Context(), `WITH RECURSIVE n (id) AS (SELECT 2 UNION ALL SELECT id + 1 FROM n
		WHERE id < 3000)
		INSERT INTO ledger_epoch (id, secret, state, opened, ended) SELECT id, randomblob(32), 'crashed', ?, ? FROM n`,
		start.UnixNano(), start.UnixNano())
	must(t, err)
	if o := open(t, dir).opening; len(o.Retired) != 1024 || o.Retired[0].ID != 3000 {
		t.Error(len(o.Retired))
	}
}
