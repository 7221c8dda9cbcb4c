//go:build cgo

package ledger_test

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
)

// chainClock is a chain's head and a clock that a test moves.
type chainClock struct {
	l1      atomic.Uint64
	minutes atomic.Int64
	looks   atomic.Int64
}

func (s *chainClock) options(o *ledger.Options) {
	o.Head = func() (protocol.L1Block, bool) {
		s.looks.Add(1)
		return protocol.L1Block(s.l1.Load()), true
	}
	o.Now = func() time.Time { return start.Add(time.Duration(s.minutes.Load()) * time.Minute) }
	o.HeadEvery = time.Millisecond
}

func (b *books) has(code fault.Code) bool {
	return slices.ContainsFunc(b.board.Snapshot(), func(c health.Condition) bool { return c.Code == code })
}

// A height that no chain has, and such a round, change nothing.
func TestAbsurdHeightsAreRefused(t *testing.T) {
	t.Parallel()
	dir, owner := t.TempDir(), account(0, "stream")
	b := open(t, dir)
	for _, l1 := range []protocol.L1Block{1 << 63, 1<<64 - 1, 1 << 41} {
		b.Expired(l1)
	}
	want(t, b.Archive(t.Context(), 1<<63), fault.LedgerRefused)
	must(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{credit(owner, 0, 1)}}))
	if !b.board.Healthy() {
		t.Error(b.board.Snapshot())
	}
	must(t, b.stop())
	if o := open(t, dir).opening; !o.Clean || o.Expired != 0 {
		t.Errorf("%+v", o)
	}
}

// Books that were told such a height by an earlier version open all the same.
func TestAnAbsurdHeightIsMended(t *testing.T) {
	t.Parallel()
	dir, owner := t.TempDir(), account(0, "stream")
	b := open(t, dir)
	must(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{credit(owner, 0, 1)}}))
	_, err := b.db.ExecContext(t.Context(), `UPDATE ledger_state SET expired = ?`, int64(-1<<63))
	must(t, err)
	again := open(t, dir)
	if o := again.opening; o.Clean || o.Expired != 0 || o.Current.Secret == b.opening.Current.Secret {
		t.Errorf("%+v", o)
	}
	must(t, again.Append(t.Context(), pm.Entries{Credits: []pm.Credit{credit(owner, 1, 1)}}))
	repairHeight(t, again.Reader)
}

// A height of layer 2 was told once. The operator hears of it, and the next start
// forgets it, with the secret whose sets were forgotten too early.
func TestAWrongHeightIsForgottenWithItsEpoch(t *testing.T) {
	t.Parallel()
	dir, owner := t.TempDir(), account(0, "stream")
	var s chainClock
	s.l1.Store(50)
	b := open(t, dir, s.options)
	must(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{credit(owner, 0, 1)}}))
	b.Expired(400_000_000)
	want(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{credit(owner, 1, 1)}}), fault.LedgerRefused)
	s.l1.Store(60)
	b.settleHeads(t, &s)
	if b.has(fault.LedgerHeight) {
		t.Error("a condition at once")
	}
	s.minutes.Add(11)
	until(t, "told", func() bool { return b.has(fault.LedgerHeight) })
	must(t, b.stop())

	again := open(t, dir, s.options)
	o := again.opening
	if o.Clean || o.Expired != 60 || o.Current.ID != 2 || o.Current.Secret == b.opening.Current.Secret {
		t.Errorf("%+v", o)
	}
	if len(o.Retired) != 1 || o.Retired[0] != b.opening.Current {
		t.Errorf("%+v", o.Retired)
	}
	if v, ok := balanceOf(o, owner); !ok || v.Cmp(value(ev, 1)) != 0 {
		t.Error(v)
	}
	must(t, again.Append(t.Context(), pm.Entries{Credits: []pm.Credit{credit(owner, 2, 1)}}))
	repairHeight(t, again.Reader)
	s.l1.Store(61)
	must(t, again.stop())
	if third := open(t, dir, s.options); !third.opening.Clean || third.opening.Expired != 60 {
		t.Errorf("%+v", third.opening)
	}
}

// An endpoint that was only behind does no harm: the condition goes, and the epoch
// stays.
func TestAHeadThatCatchesUp(t *testing.T) {
	t.Parallel()
	dir, owner := t.TempDir(), account(0, "stream")
	var s chainClock
	s.l1.Store(1)
	b := open(t, dir, s.options)
	late := credit(owner, 0, 1)
	late.ExpirationBlock = 5000
	must(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{late}}))
	b.Expired(4000)
	b.settleHeads(t, &s)
	s.minutes.Add(11)
	until(t, "told", func() bool { return b.has(fault.LedgerHeight) })
	s.l1.Store(3950)
	until(t, "cleared", func() bool { return !b.has(fault.LedgerHeight) })
	must(t, b.stop())
	if o := open(t, dir, s.options).opening; !o.Clean || o.Expired != 4000 {
		t.Errorf("%+v", o)
	}
}

// settleHeads waits until the ledger has compared heights a few times.
func (b *books) settleHeads(t *testing.T, s *chainClock) {
	t.Helper()
	from := s.looks.Load()
	until(t, "looked", func() bool { return s.looks.Load() >= from+3 })
}

// When the chain has shown the right height for an hour, the books take it by themselves, with a
// new secret, and accept tickets again.
func TestAWrongHeightIsForgottenWithoutARestart(t *testing.T) {
	t.Parallel()
	dir, owner := t.TempDir(), account(0, "stream")
	var s chainClock
	s.l1.Store(50)
	b := open(t, dir, s.options)
	must(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{credit(owner, 0, 1)}}))
	b.Expired(400_000_000)
	s.l1.Store(60)
	b.settleHeads(t, &s)
	if _, _, ok := b.Renewed(); ok {
		t.Error("a new epoch at once")
	}
	s.minutes.Add(61)
	until(t, "renewed", func() bool {
		_, _, ok := b.Renewed()
		return ok
	})
	epoch, height, _ := b.Renewed()
	if epoch.ID != 2 || epoch.Secret == b.opening.Current.Secret || height != 60 {
		t.Errorf("epoch %d from height %d", epoch.ID, height)
	}
	until(t, "no condition", func() bool { return !b.has(fault.LedgerHeight) })
	must(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{credit(owner, 2, 1)}}))
	s.l1.Store(61)
	must(t, b.stop())

	again := open(t, dir, s.options)
	o := again.opening
	if !o.Clean || o.Expired != 60 || o.Current.ID != 3 || len(o.Retired) != 2 || o.Retired[0] != epoch {
		t.Errorf("%+v", o)
	}
}
