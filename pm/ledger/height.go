package ledger

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// The chain's head may be a little below the ledger's height: an endpoint lags, or a block is
// undone. If it is lower by more than lowBlocks for lowFor, the ledger once got a wrong height.
const (
	lowBlocks protocol.L1Block = 100
	lowFor                     = 10 * time.Minute
	// renewAfter is how long the chain must be lower before this process adopts its height with a
	// new secret. An endpoint that is behind for less changes nothing; one that lies for longer can
	// only end epochs, one in this time, because nothing made before is accepted again.
	renewAfter = time.Hour
)

// watchHead compares the ledger's height with the chain's. If the ledger's is wrong, it stores
// the chain's height, and the next opening begins a new epoch there, or this process after
// renewAfter: nothing made under the old secret is accepted again, so that lowering the height
// brings no ticket back. The stored height is cleared if the chain catches up after all.
func (l *Ledger) watchHead() {
	head, ok := l.opt.Head()
	if !ok || head == 0 || head > maxHeight {
		return
	}
	now := l.opt.Now()
	l.enqueueAsync(&request{op: "compare the layer-1 height", exclusive: true,
		do: func(ctx context.Context, g *group) error {
			key := health.Key{Code: fault.LedgerHeight}
			switch {
			case head+lowBlocks >= g.now.expired:
				l.low, g.now.low = time.Time{}, 0
				l.opt.Board.Clear(key)
			case l.low.IsZero():
				l.low = now
			case now.Sub(l.low) >= renewAfter && g.reached <= head+lowBlocks:
				return g.renew(ctx, head, now)
			case now.Sub(l.low) >= lowFor:
				if g.now.low == 0 {
					g.now.low = head
				}
				l.opt.Board.Set(key, fmt.Sprintf("the books say layer-1 block %d, and the chain is at %d",
					g.now.expired, g.now.low))
			}
			return nil
		}})
}

// renewal is a new epoch that began while the process runs, and the height from which it counts.
type renewal struct {
	epoch  pm.Epoch
	height protocol.L1Block
}

// renew ends the epoch and begins the next one at the chain's height.
func (g *group) renew(ctx context.Context, head protocol.L1Block, now time.Time) error {
	next := renewal{pm.Epoch{ID: g.epoch + 1}, head}
	if _, err := io.ReadFull(g.l.opt.Rand, next.epoch.Secret[:]); err != nil {
		return err
	}
	if _, err := g.tx.ExecContext(ctx, `UPDATE ledger_epoch SET state = ?, ended = ? WHERE id = ? AND state = ?`,
		epochCrashed, nanos(now), int64(g.epoch), epochOpen); err != nil {
		return err
	}
	if _, err := g.tx.ExecContext(ctx, `INSERT INTO ledger_epoch (id, secret, state, opened, ended)
		VALUES (?, ?, ?, ?, 0)`, int64(next.epoch.ID), next.epoch.Secret[:], epochOpen, nanos(now)); err != nil {
		return err
	}
	g.epoch, g.renewal = next.epoch.ID, &next
	g.now.expired, g.now.low = head, 0
	return nil
}

// adopt makes a renewal that is on disk the present one.
func (l *Ledger) adopt(n *renewal) {
	if n == nil {
		return
	}
	l.opt.Log.Warn("the books had a wrong layer-1 height; a new secret is in use from the chain's height on",
		"block", uint64(n.height))
	l.epoch, l.low = n.epoch.ID, time.Time{}
	l.renewed.Store(n)
	l.opt.Board.Clear(health.Key{Code: fault.LedgerHeight})
}

// Renewed returns the epoch that replaced the opening's because of a wrong height, and the height
// up to which sets are dropped; false if none did.
func (l *Ledger) Renewed() (pm.Epoch, protocol.L1Block, bool) {
	n := l.renewed.Load()
	if n == nil {
		return pm.Epoch{}, 0, false
	}
	return n.epoch, n.height, true
}

// repairHeight replaces a wrong height and ends the epoch in which it was used: sets may have
// been dropped too early, so nothing made in that epoch is accepted again.
func repairHeight(ctx context.Context, tx *sql.Tx, opt Options, _ *pm.Opening) error {
	var expired, low int64
	if err := tx.QueryRowContext(ctx, `SELECT expired, low FROM ledger_state`).Scan(&expired, &low); err != nil {
		return err
	}
	if low == 0 && expired >= 0 && protocol.L1Block(expired) <= maxHeight {
		return nil
	}
	if _, err := tx.ExecContext(ctx, `UPDATE ledger_epoch SET state = ?, ended = ? WHERE state IN (?, ?)`,
		epochCrashed, nanos(opt.Now()), epochOpen, epochClean); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `UPDATE ledger_state SET expired = ?, low = 0`, max(0, low))
	return err
}
