package endpoint

import (
	"context"
	"errors"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"golang.org/x/sync/errgroup"

	"github.com/tuttinode/tutti/core/protocol"
)

// logWorkers is how many log requests run at once.
const logWorkers = 3

// LogFilter selects logs: those of any of the addresses (of all when empty) whose topics match position by
// position, where an empty position matches all.
type LogFilter struct {
	Addresses []common.Address
	Topics    [][]common.Hash
}

// Logs reads the logs from block `from` to block `to`, both included, in ranges that the endpoints accept. It
// returns the logs that it has, in order, and the first block that it has not read: to+1 when it has read
// all, and less with the error that stopped it. The logs are complete up to that block.
func (p *Pool) Logs(ctx context.Context, from, to protocol.L2Block, filter LogFilter) ([]types.Log, protocol.L2Block,
	error) {
	var all []types.Log
	for from <= to {
		ranges := p.plan(from, to)
		parts := make([][]types.Log, len(ranges))
		fails := make([]error, len(ranges))
		group := errgroup.Group{}
		group.SetLimit(logWorkers)
		for i, part := range ranges {
			group.Go(func() error {
				parts[i], fails[i] = p.logsOf(ctx, part, filter)
				return nil
			})
		}
		_ = group.Wait()
		for i, part := range ranges {
			if fails[i] != nil {
				return all, part.from, fails[i]
			}
			all = append(all, parts[i]...)
			from = part.to + 1
		}
	}
	return all, from, nil
}

// logGrace is how long the other endpoints have for their logs after a quorum answered.
const logGrace = 5 * time.Second

// LogsFromEach reads logs from all available endpoints in parallel and passes the logs of one after another to
// look, until look has found what it looks for. It is for logs that the caller verifies against the chain and
// that must not be missed because one endpoint hides them, is slow, or returns many false ones. The error
// is the last of look's, or that of an endpoint when none returned its logs.
func (p *Pool) LogsFromEach(ctx context.Context, from, to protocol.L2Block, filter LogFilter,
	look func([]types.Log) (found bool, err error)) error {
	asking, stop := context.WithCancel(ctx)
	defer stop()
	answered, found := 0, false
	var failed, refused error
	enough := func(o outcome[[]types.Log]) bool {
		if o.err != nil {
			failed = o.err
			return false
		}
		answered++
		if !found {
			var err error
			if found, err = look(o.value); err != nil {
				refused = err
			}
		}
		if found {
			stop()
		}
		return found || answered >= p.quorum()
	}
	gather(asking, p.admitted(), logGrace, enough, func(ctx context.Context, r *remote) ([]types.Log, error) {
		logs, _, err := r.logs(ctx, blockRange{from, to}, filter)
		return logs, err
	})
	switch {
	case found:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case refused != nil:
		return refused
	case answered == 0 && failed != nil:
		return failed
	case answered == 0:
		return p.unanswered("read logs", nil)
	}
	return nil
}

// blockRange includes both blocks.
type blockRange struct{ from, to protocol.L2Block }

func (b blockRange) span() uint64 { return uint64(b.to-b.from) + 1 }

// plan cuts the next ranges, as large as the best endpoint accepts them.
func (p *Pool) plan(from, to protocol.L2Block) []blockRange {
	span := p.opt.LogRange
	if order := p.ranked(); len(order) > 0 {
		span = order[0].spans.next()
	}
	var ranges []blockRange
	for len(ranges) < logWorkers && from <= to {
		end := to
		if uint64(to-from) >= span {
			end = from + protocol.L2Block(span) - 1
		}
		ranges = append(ranges, blockRange{from, end})
		if end == to {
			break
		}
		from = end + 1
	}
	return ranges
}

// logsOf reads one range from any endpoint. An endpoint that failed on it has halved its span, so the range
// may succeed on a retry: `shrunk` records this. An endpoint that timed out backs off first.
func (p *Pool) logsOf(ctx context.Context, part blockRange, filter LogFilter) ([]types.Log, error) {
	for {
		shrunk := false
		logs, err := read(ctx, p, query{op: "read logs", minBlock: part.to, single: true},
			func(ctx context.Context, r *remote) ([]types.Log, error) {
				logs, smaller, err := r.logs(ctx, part, filter)
				shrunk = shrunk || smaller
				return logs, err
			})
		if err == nil || !shrunk || ctx.Err() != nil || !isFailure(err) {
			return logs, err
		}
	}
}

// isFailure reports whether endpoints failed, as opposed to an error that is an answer.
func isFailure(err error) bool {
	_, failed := errors.AsType[*failure](err)
	return failed
}

// logs reads one range from one endpoint, in as many requests as needed. With an error, smaller reports that
// the next request to it would cover fewer blocks.
func (r *remote) logs(ctx context.Context, part blockRange, filter LogFilter) (all []types.Log, smaller bool,
	err error) {
	for from := part.from; from <= part.to; {
		sub := blockRange{from, part.to}
		if span := r.spans.next(); sub.span() > span {
			sub.to = from + protocol.L2Block(span) - 1
		}
		logs, err := r.getLogs(ctx, sub, filter)
		switch {
		case err == nil:
			r.spans.granted(sub.span(), r.now())
			all = append(all, logs...)
			if sub.to == part.to {
				return all, false, nil
			}
			from = sub.to + 1
		case isTooMuch(err):
			if !r.spans.halve(sub.span(), r.now()) {
				r.spans.reset()
				return nil, false, fail(logsRefused, r.addr.name, "refuses the logs of a single block: %s", err)
			}
		case isLogTimeoutError(err):
			r.spans.timedOut(sub.span(), r.now())
			return nil, false, err
		case isTooSlow(err):
			return nil, r.spans.halve(sub.span(), r.now()), err
		default:
			return nil, false, err
		}
	}
	return all, false, nil
}
