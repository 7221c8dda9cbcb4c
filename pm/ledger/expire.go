package ledger

import (
	"context"
	"fmt"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// No valid layer-1 height or round is above these.
const (
	maxHeight protocol.L1Block = 1 << 40
	maxRound  protocol.Round   = 1 << 40
)

// archiveBatch bounds how many old rows one group removes, so that no payment waits long for
// it.
const archiveBatch = 500

// Expired drops the sets of parameters that have expired at a layer-1 height, and refuses
// credits to such sets from then on, also after a restart: a height that falls does not bring a
// dropped set back. It does not wait. An impossible height is logged and changes nothing;
// LedgerHeight describes what happens to a height that was only wrong.
func (l *Ledger) Expired(l1 protocol.L1Block) {
	const op = "drop expired sets"
	if l1 > maxHeight {
		l.opt.Log.Error("entry refused", fault.Attr(refused(op, fmt.Sprintf("%d is no layer-1 height", l1))))
		return
	}
	l.enqueueAsync(&request{op: op, exclusive: true, do: func(ctx context.Context, g *group) error {
		more, err := g.expire(ctx, l1)
		if more && err == nil {
			l.Expired(l1)
		}
		return err
	}})
}

func (g *group) expire(ctx context.Context, l1 protocol.L1Block) (more bool, err error) {
	if err := g.flushAndReset(ctx); err != nil {
		return false, err
	}
	g.now.expired = max(g.now.expired, l1)
	const old = `(SELECT id FROM ledger_set WHERE expiration <= ?1 ORDER BY expiration, id LIMIT ?2)`
	if _, err := g.tx.ExecContext(ctx, `DELETE FROM ledger_page WHERE set_id IN `+old, int64(l1),
		archiveBatch); err != nil {
		return false, err
	}
	done, err := g.tx.ExecContext(ctx, `DELETE FROM ledger_set WHERE id IN `+old, int64(l1), archiveBatch)
	if err != nil {
		return false, err
	}
	n, err := done.RowsAffected()
	return n == archiveBatch, err
}
