//go:build cgo

package ledger_test

import (
	"testing"
	"time"

	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
)

// Winners come in either order, and from a time on.
func TestOrderOfWinners(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	var all []pm.Winner
	for i := range uint32(3) {
		w := winner(account(0, "stream"), 0, i)
		w.Credited, w.Won = false, start.Add(time.Duration(i)*time.Second)
		all = append(all, w)
	}
	must(t, b.Append(t.Context(), pm.Entries{Winners: all}))
	for _, tt := range []struct {
		filter ledger.Filter
		want   []int
	}{
		{ledger.Filter{}, []int{2, 1, 0}},
		{ledger.Filter{OldestFirst: true}, []int{0, 1, 2}},
		{ledger.Filter{OldestFirst: true, After: start, Limit: 1}, []int{1}},
		{ledger.Filter{After: start}, []int{2, 1}},
	} {
		got, err := b.Winners(t.Context(), tt.filter)
		must(t, err)
		if len(got) != len(tt.want) {
			t.Fatalf("%+v: %d winners", tt.filter, len(got))
		}
		for i, n := range tt.want {
			if got[i].Hash != all[n].Hash {
				t.Errorf("%+v: another winner at %d", tt.filter, i)
			}
		}
	}
}
