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

// step reads the logs since the last step and whatever they, or the clock, require.
func (f *follower) step(ctx context.Context, now time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, stepTimeout+f.pollTime())
	defer cancel()
	n, err := f.network(ctx)
	if err != nil {
		return err
	}
	full := !f.known || now.Sub(f.clock.full) >= f.c.opt.FullRead
	if full {
		f.toRead |= allParts
		f.c.senders.markAll()
	}
	// State read as of a block is only consistent with the logs up to it: only then does an undone branch remove
	// a log that was seen.
	first := !f.known
	polls := first || full || f.pollNow || f.toRead != 0 || f.pollDue(now)
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
		f.clock.full, f.wholeOverlap = now, true
	}
	f.pollNow = false
	return nil
}

// pollOrRead reads the logs. When no endpoint returns any, everything that they could affect is read instead:
// more expensive, and equally correct.
func (f *follower) pollOrRead(ctx context.Context, n *network) {
	ctx, cancel := context.WithTimeout(ctx, f.pollTime())
	defer cancel()
	err := f.poll(ctx, n)
	if err != nil || f.logsMissed {
		f.toRead |= allParts
		f.c.senders.markAll()
	}
	// Once logs can be read again, everything is read again: a reorg may have undone what was read without them.
	f.logsMissed = err != nil
	if err != nil {
		f.c.opt.Log.Debug("reading the logs failed", "block", uint64(f.head.Number), "err", err)
		return
	}
	f.c.senders.markUnsettled()
}

// pollTime returns how long reading the logs may take.
func (f *follower) pollTime() time.Duration { return max(f.c.opt.PollInterval/2, leastPoll) }

// pollDue reports whether nine tenths of an interval have passed: after a whole interval, every second head would be
// missed.
func (f *follower) pollDue(now time.Time) bool {
	return now.Sub(f.clock.poll) >= f.c.opt.PollInterval*9/10
}

// network returns the contracts in use, resolved again when they may have changed. A problem with them is a
// condition: no retry corrects a wrong Controller.
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
		f.toRead |= allParts
	}
	f.resolve = false
	return n, nil
}

// mayBeContractChange reports whether an error may come from an address that is no longer the contract's.
func mayBeContractChange(err error) bool {
	return errors.Is(err, fault.ContractMissing) || errors.Is(err, fault.ContractAnswerInvalid) ||
		errors.Is(err, fault.ControllerInvalid)
}

// poll reads the logs since the last poll, with some overlap.
func (f *follower) poll(ctx context.Context, n *network) error {
	if f.logsTo > f.head.Number {
		f.rereadLogsFrom(f.head.Number)
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
	if lost, hash, ok := f.win.lost(logs, from, next-1); ok && f.blockGone(ctx, lost, hash) {
		f.reorganize(f.head, lost)
	}
	reader := logReader{account: f.read.account, self: f.read.self, net: n}
	f.applyEffects(reader.effects(logsAfter(f.win.fresh(logs), f.base), f.cur.Round.LastInitialized))
	f.logsTo, f.wholeOverlap = next-1, false
	return err
}

// logsAfter returns the logs after a block.
func logsAfter(logs []types.Log, block protocol.L2Block) []types.Log {
	i := slices.IndexFunc(logs, func(l types.Log) bool { return protocol.L2Block(l.BlockNumber) > block })
	if i < 0 {
		return nil
	}
	return logs[i:]
}

// applyEffects records the effects of logs.
func (f *follower) applyEffects(found logEffects) {
	f.toRead |= found.toRead
	f.resolve = f.resolve || found.resolve
	for _, o := range found.events {
		if r, ok := o.event.(protocol.TicketRedeemed); ok {
			r.Payout.Gas, r.Payout.Fee, _ = f.c.sentCost(r.Payout.Tx)
			o.event = r
		}
		f.pending = append(f.pending, o)
	}
	for _, addr := range found.senders {
		f.c.senders.mark(addr)
	}
	if found.allSenders {
		f.c.senders.markAll()
	}
}

// readWanted reads what is to be read as of the newest head and publishes the changes.
func (f *follower) readWanted(ctx context.Context, n *network) error {
	if f.toRead == 0 && len(f.pending) == 0 {
		f.publishedTo = f.logsTo
		return nil
	}
	now, err := f.read.read(ctx, n, f.head, f.cur, f.toRead)
	if err != nil {
		return fmt.Errorf("read the state at block %d: %w", f.head.Number, err)
	}
	if err := f.acceptHeight(ctx, now.Head.L1); err != nil {
		return err
	}
	events := append(eventsOf(f.pending), changes(f.cur, now)...)
	if !f.known {
		f.startFollowing()
		events = append([]protocol.Event{protocol.HeadSeen{Head: f.head}}, events...)
	}
	f.cur, f.toRead, f.pending = now, 0, nil
	f.publishedTo = f.logsTo
	f.publish()
	f.c.bus.publish(events...)
	return nil
}

// startFollowing begins to follow the logs after the first reading; earlier blocks are history. The logs of the
// last blocks before it are read nevertheless, to notice a reorg that undoes them.
func (f *follower) startFollowing() {
	f.known = true
	f.logsTo, f.base = f.head.Number, f.head.Number
	f.floor = f.head.Number + 1 - min(f.head.Number, overlap)
	f.history.startAt(f.head.Number)
	if len(f.c.pool.members()) == 0 {
		f.rank.preloadOrder(f.head.Number)
	}
}

// readSenders reads the funds that changed.
func (f *follower) readSenders(ctx context.Context, n *network, settled bool) error {
	addrs := f.c.senders.dirty()
	if len(addrs) == 0 {
		return nil
	}
	funds, err := f.read.funds(ctx, n, f.head.Number, addrs)
	if err != nil {
		return err
	}
	for i, a := range addrs {
		if f.c.senders.store(a, funds[i], settled) {
			f.c.bus.publish(protocol.SenderSeen{Address: a, Sender: funds[i].Sender})
		}
	}
	return nil
}
