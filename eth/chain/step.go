package chain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/core/types"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
)

// step reads the logs since the last step and whatever they, or the time, say.
func (f *follower) step(ctx context.Context, now time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, stepTimeout+f.pollTime())
	defer cancel()
	n, err := f.network(ctx)
	if err != nil {
		return err
	}
	full := !f.known || now.Sub(f.clock.full) >= f.c.opt.FullRead
	if full {
		f.want |= allParts
		f.c.senders.markAll()
	}
	// Whatever is read as of a block goes together with the logs up to it: only so a
	// branch that is undone takes a log away that was seen.
	first := !f.known
	polls := first || full || f.hurry || f.want != 0 || f.pollDue(now)
	if polls && !first {
		f.pollOrRead(ctx, n)
	}
	if err := f.readWanted(ctx, n); err != nil {
		return err
	}
	if first {
		f.pollOrRead(ctx, n)
	}
	if polls {
		f.clock.poll = now
	}
	if err := f.readSenders(ctx, n, polls); err != nil {
		return err
	}
	if full {
		f.clock.full, f.wide = now, true
	}
	f.hurry = false
	return nil
}

// pollOrRead reads the logs. Where no endpoint gives any, all that they could speak
// of is read instead: dearer, and no less true.
func (f *follower) pollOrRead(ctx context.Context, n *network) {
	ctx, cancel := context.WithTimeout(ctx, f.pollTime())
	defer cancel()
	err := f.poll(ctx, n)
	if err != nil || f.blind {
		f.want |= allParts
		f.c.senders.markAll()
	}
	// Once more when logs come again: what was read without them may be undone.
	f.blind = err != nil
	if err != nil {
		f.c.opt.Log.Debug("the logs could not be read", "block", uint64(f.head.Number), "err", err)
		return
	}
	f.c.senders.settle()
}

// pollTime is how long reading the logs may take.
func (f *follower) pollTime() time.Duration { return max(f.c.opt.PollInterval/2, leastPoll) }

// pollDue: an interval is over a little early, or every second head would be waited
// for.
func (f *follower) pollDue(now time.Time) bool {
	return now.Sub(f.clock.poll) >= f.c.opt.PollInterval*9/10
}

// network is the contracts in use, resolved again when they may have changed. What
// is wrong with them is a condition: no retry mends a wrong Controller.
func (f *follower) network(ctx context.Context) (*network, error) {
	before := f.c.net.Load()
	if before != nil && !f.resolve && f.known {
		return before, nil
	}
	n, err := f.c.resolve(ctx)
	for _, code := range []fault.Code{fault.ControllerInvalid, fault.ContractMissing, fault.ChainDisputed} {
		if errors.Is(err, code) {
			f.c.opt.Board.Report(health.Key{Code: code}, err)
		} else if err == nil {
			f.c.opt.Board.Clear(health.Key{Code: code})
		}
	}
	if err != nil {
		return nil, err
	}
	if n != before {
		f.want |= allParts
	}
	f.resolve = false
	return n, nil
}

// speaksOfContracts reports whether an error may come from an address that is not
// the contract's any more.
func speaksOfContracts(err error) bool {
	return errors.Is(err, fault.ContractMissing) || errors.Is(err, fault.ContractAnswerInvalid) || errors.Is(err, fault.ControllerInvalid)
}

// poll reads the logs since the last time, with some overlap.
func (f *follower) poll(ctx context.Context, n *network) error {
	if f.logsTo > f.head.Number {
		f.lower(f.head.Number)
	}
	from, to := f.logsTo+1, f.head.Number
	from = max(f.floor, from-min(from, f.overlap(to-min(to, f.logsTo))))
	if from > to {
		return nil
	}
	logs, next, err := f.c.opt.Client.Logs(ctx, from, to, n.filter(!f.c.senders.empty() || f.cur.Self.Registered))
	if next <= from {
		return err
	}
	if lost, hash, ok := f.win.lost(logs, from, next-1); ok && f.gone(ctx, lost, hash) {
		f.reorganize(f.head, lost)
	}
	j := judge{account: f.read.account, self: f.read.self, net: n}
	f.take(j.read(since(f.win.fresh(logs), f.base), f.cur.Round.LastInitialized))
	f.logsTo, f.wide = next-1, false
	return err
}

// since are the logs after a block.
func since(logs []types.Log, block protocol.L2Block) []types.Log {
	i := slices.IndexFunc(logs, func(l types.Log) bool { return protocol.L2Block(l.BlockNumber) > block })
	if i < 0 {
		return nil
	}
	return logs[i:]
}

// take notes what logs say.
func (f *follower) take(news news) {
	f.want |= news.want
	f.resolve = f.resolve || news.resolve
	for _, o := range news.happened {
		if r, ok := o.event.(protocol.TicketRedeemed); ok {
			r.Payout.Gas, r.Payout.Fee, _ = f.c.sent(r.Payout.Tx)
			o.event = r
		}
		f.pending = append(f.pending, o)
	}
	for _, who := range news.senders {
		f.c.senders.mark(who)
	}
	if news.allSenders {
		f.c.senders.markAll()
	}
}

// readWanted reads what is wanted as of the newest head and tells what changed.
func (f *follower) readWanted(ctx context.Context, n *network) error {
	if f.want == 0 && len(f.pending) == 0 {
		f.told = f.logsTo
		return nil
	}
	now, err := f.read.read(ctx, n, f.head, f.cur, f.want)
	if err != nil {
		return fmt.Errorf("read the state at block %d: %w", f.head.Number, err)
	}
	if err := f.settleHeight(ctx, now.Head.L1); err != nil {
		return err
	}
	events := append(eventsOf(f.pending), changes(f.cur, now)...)
	if !f.known {
		f.begin()
		events = append([]protocol.Event{protocol.HeadSeen{Head: f.head}}, events...)
	}
	f.cur, f.want, f.pending = now, 0, nil
	f.told = f.logsTo
	f.publish()
	f.c.bus.tell(events...)
	return nil
}

// begin is the first reading: from here on logs are followed, and what was before
// is history. The last blocks' logs are read all the same, to be missed when they
// are undone.
func (f *follower) begin() {
	f.known = true
	f.logsTo, f.base = f.head.Number, f.head.Number
	f.floor = f.head.Number + 1 - min(f.head.Number, overlap)
	f.history.begin(f.head.Number)
	if len(f.c.pool.known()) == 0 {
		f.rank.warm(f.head.Number)
	}
}

// readSenders reads the funds that changed.
func (f *follower) readSenders(ctx context.Context, n *network, settled bool) error {
	who := f.c.senders.dirty()
	if len(who) == 0 {
		return nil
	}
	funds, err := f.read.funds(ctx, n, f.head.Number, who)
	if err != nil {
		return err
	}
	for i, a := range who {
		if f.c.senders.take(a, funds[i], settled) {
			f.c.bus.tell(protocol.SenderSeen{Address: a, Sender: funds[i].Sender})
		}
	}
	return nil
}
