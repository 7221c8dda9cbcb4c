package recipient

import (
	"context"
	"slices"
	"sync"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// maxDeferred bounds the winners that wait for disk space.
const maxDeferred = 4096

// deferredWinners are winners that arrived while the disk was full. They are money, even if
// their payment was refused. The ledger queues them until there is space. The redeemer may only
// get winners that are on disk, so it gets them afterwards.
type deferredWinners struct {
	mu      sync.Mutex
	winners []pm.Winner // guarded by mu
}

// has reports whether a winner waits already.
func (l *deferredWinners) has(hash protocol.Hash) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.indexLocked(hash) >= 0
}

func (l *deferredWinners) indexLocked(hash protocol.Hash) int {
	return slices.IndexFunc(l.winners, func(w pm.Winner) bool { return w.Hash == hash })
}

// add adds the new ones, and returns them.
func (l *deferredWinners) add(winners []pm.Winner) (added []pm.Winner) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, w := range winners {
		if len(l.winners) < maxDeferred && l.indexLocked(w.Hash) < 0 {
			l.winners, added = append(l.winners, w), append(added, w)
		}
	}
	return added
}

func (l *deferredWinners) first() (pm.Winner, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.winners) == 0 {
		return pm.Winner{}, false
	}
	return l.winners[0], true
}

func (l *deferredWinners) remove(hash protocol.Hash) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := l.indexLocked(hash); i >= 0 {
		l.winners = slices.Delete(l.winners, i, i+1)
	}
}

// deferWinners queues winners in the ledger for when there is space again.
func (r *Recipient) deferWinners(winners []pm.Winner) {
	if added := r.deferred.add(uncredited(winners)); len(added) > 0 {
		r.opt.Ledger.Book(pm.Entries{Winners: added})
	}
}

// uncredited returns the winners marked as not credited.
func uncredited(winners []pm.Winner) []pm.Winner {
	out := slices.Clone(winners)
	for i := range out {
		out[i].Credited = false
	}
	return out
}

// retryDeferred reports deferred winners that are on disk by now: the ledger stores each once,
// so a second successful Append proves that it is there.
func (r *Recipient) retryDeferred(ctx context.Context) {
	for {
		w, some := r.deferred.first()
		if !some {
			return
		}
		one := []pm.Winner{w}
		err := r.opt.Ledger.Append(ctx, pm.Entries{Winners: one})
		switch {
		case err == nil:
			r.reportWinners(one)
		case fault.CodeOf(err) != fault.LedgerRefused:
			return // the next sweep tries again
		default:
			r.opt.Log.Warn("winning ticket not taken by the books", "ticket", w.Hash.String(), fault.Attr(err))
		}
		r.deferred.remove(w.Hash)
	}
}
