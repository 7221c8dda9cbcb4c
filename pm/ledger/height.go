package ledger

import (
	"context"
	"database/sql"
	"fmt"
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
)

// watchHead compares the ledger's height with the chain's. If the ledger's is wrong, it stores
// the chain's height, and the next opening begins a new epoch there: nothing made under the old
// secret is accepted again, so that lowering the height brings no ticket back. The stored
// height is cleared if the chain catches up after all.
func (l *Ledger) watchHead() {
	head, ok := l.opt.Head()
	if !ok || head == 0 || head > maxHeight {
		return
	}
	now := l.opt.Now()
	l.enqueueAsync(&request{op: "compare the layer-1 height", exclusive: true,
		do: func(_ context.Context, g *group) error {
			key := health.Key{Code: fault.LedgerHeight}
			switch {
			case head+lowBlocks >= g.now.expired:
				l.low, g.now.low = time.Time{}, 0
				l.opt.Board.Clear(key)
			case l.low.IsZero():
				l.low = now
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
