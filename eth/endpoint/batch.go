package endpoint

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum"
	"golang.org/x/sync/errgroup"

	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/contracts"
)

// Providers bound batches; a hundred calls are taken everywhere that takes any.
const (
	batchSize = 100
	// largeBatch is the number of calls above which a batch gets a timeout and a hedge of its own.
	largeBatch = 20
	// maxParallelCalls is how many calls run in parallel on an endpoint without batches.
	maxParallelCalls = 8
)

var _ contracts.Batcher = (*Pool)(nil)

// CallBatch runs all calls on one endpoint at one block. For contracts.Latest it reads the endpoint's newest
// height first, so that all calls see one block.
func (p *Pool) CallBatch(ctx context.Context, block protocol.L2Block, calls []ethereum.CallMsg) ([]contracts.Result,
	error) {
	if len(calls) == 0 {
		return nil, nil
	}
	q := query{op: fmt.Sprintf("call contracts (%d calls)", len(calls)), minBlock: block}
	if len(calls) > largeBatch {
		q.large = (len(calls) + batchSize - 1) / batchSize
	}
	return read(ctx, p, q, func(ctx context.Context, r *remote) ([]contracts.Result, error) {
		at := block
		if at == contracts.Latest {
			n, err := ask(ctx, r, r.timeout, readQuantity, "eth_blockNumber")
			if err != nil {
				return nil, err
			}
			r.recordHeight(protocol.L2Block(n))
			if at = protocol.L2Block(n); at < p.newest() {
				return nil, fail(behind, r.addr.name, "is at block %d, behind block %d", at, p.newest())
			}
		}
		return r.callAll(ctx, blockTag(at), calls)
	})
}

// Quorum runs batches on a quorum of endpoints. While the others fail, the answer of those that are left
// counts. Latest is the newest known block.
func (p *Pool) Quorum() contracts.Batcher { return quorumBatcher{p, false} }

// Majority is Quorum that accepts a single endpoint's answer only where no other endpoint is configured: for
// what cannot be undone. Without a majority the fault is ChainDisputed.
func (p *Pool) Majority() contracts.Batcher { return quorumBatcher{p, true} }

type quorumBatcher struct {
	p        *Pool
	majority bool
}

// CallBatch runs all calls at one block on each endpoint of a quorum.
func (a quorumBatcher) CallBatch(ctx context.Context, block protocol.L2Block,
	calls []ethereum.CallMsg) ([]contracts.Result,
	error) {
	if len(calls) == 0 || len(a.p.remotes) == 1 {
		return a.p.CallBatch(ctx, block, calls)
	}
	block, err := a.p.pinBlock(ctx, block)
	if err != nil {
		return nil, err
	}
	q := query{op: fmt.Sprintf("call contracts (%d calls)", len(calls)), minBlock: block}
	if len(calls) > largeBatch {
		q.large = (len(calls) + batchSize - 1) / batchSize
	}
	return readQuorum(ctx, a.p, quorumRead[[]contracts.Result]{
		query: q, same: sameResults, deterministic: true, majority: a.majority,
		try: func(ctx context.Context, r *remote) ([]contracts.Result, error) {
			return r.callAll(ctx, blockTag(block), calls)
		},
	})
}

// sameResults compares what two endpoints answered to the same calls.
func sameResults(a, b []contracts.Result) bool {
	return slices.EqualFunc(a, b, func(a, b contracts.Result) bool {
		left, _ := errors.AsType[*RPCError](a.Err)
		right, _ := errors.AsType[*RPCError](b.Err)
		if left == nil && right == nil {
			return bytes.Equal(a.Data, b.Data)
		}
		return left != nil && right != nil && sameRefusal(left, right)
	})
}

// callAll sends the calls in batches of the size that the endpoint accepts.
func (r *remote) callAll(ctx context.Context, tag string, calls []ethereum.CallMsg) ([]contracts.Result, error) {
	if f := r.verify(ctx); f != nil {
		return nil, f
	}
	reqs := make([]request, len(calls))
	for i, c := range calls {
		reqs[i] = request{"eth_call", []any{callParams(c), tag}}
	}
	out := make([]contracts.Result, 0, len(calls))
	for len(reqs) > 0 {
		n := min(len(reqs), r.batchSize())
		single := n == 1
		if single {
			n = min(len(reqs), batchSize)
		}
		part, err := r.callPart(ctx, reqs[:n], single)
		if err != nil {
			return nil, err
		}
		out = append(out, part...)
		reqs = reqs[n:]
	}
	return out, nil
}

// batchSize returns how many calls the endpoint accepts in one request.
func (r *remote) batchSize() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.batches.size(r.now())
}

func (r *remote) callPart(ctx context.Context, reqs []request, single bool) ([]contracts.Result, error) {
	if single {
		return r.callSingly(ctx, reqs)
	}
	answers, took, f := r.send(ctx, r.timeout, reqs...)
	if f == nil && len(answers) != len(reqs) {
		f = r.batchRefusal(*answers[0].err, len(reqs))
	} else if f != nil && f.kind == noBatches {
		r.refusedBatch(len(reqs), f)
	}
	if f != nil {
		r.recordResult(f, took)
		if f.kind == noBatches {
			return r.callSingly(ctx, reqs)
		}
		return nil, f
	}
	out := make([]contracts.Result, len(answers))
	for i, a := range answers {
		if out[i], f = r.callResult(a); f != nil {
			break
		}
	}
	r.recordResult(f, took)
	if f != nil {
		return nil, f
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.batches.accepted()
	return out, nil
}

// batchRefusal classifies the one error that answers a whole batch. An error that fails a single call fails
// here in the same way, unless it mentions batches; any other error is a refusal of the batch, and the calls
// may go singly.
func (r *remote) batchRefusal(e wireError, n int) *failure {
	_, f := classifyError(e, r.addr.name, r.addr.redactor)
	about := strings.Contains(strings.ToLower(e.Message), "batch")
	if f != nil && (f.kind == throttled || f.kind == denied || f.kind == behind) {
		return f
	}
	if f == nil || about {
		f = fail(noBatches, r.addr.name, "refuses several calls at once: %s", r.addr.redactor.clean(e.Message))
	}
	r.refusedBatch(n, f)
	return f
}

func (r *remote) refusedBatch(n int, f *failure) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.batches.refused(n, f, r.now())
}

// callSingly sends the calls one per request, several in parallel.
func (r *remote) callSingly(ctx context.Context, reqs []request) ([]contracts.Result, error) {
	out := make([]contracts.Result, len(reqs))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(maxParallelCalls)
	for i, req := range reqs {
		group.Go(func() error {
			answers, took, f := r.send(ctx, r.timeout, req)
			if f == nil {
				out[i], f = r.callResult(answers[0])
			}
			r.recordResult(f, took)
			if f != nil {
				return f
			}
			return nil
		})
	}
	return out, group.Wait()
}

// callResult reads one call's answer; a failure is the endpoint's.
func (r *remote) callResult(a response) (contracts.Result, *failure) {
	if a.err != nil {
		answer, f := classifyError(*a.err, r.addr.name, r.addr.redactor)
		if f != nil {
			return contracts.Result{}, f
		}
		return contracts.Result{Err: answer}, nil
	}
	data, f := readBytes(json.RawMessage(a.result))
	if f != nil {
		f.name = r.addr.name
	}
	return contracts.Result{Data: data}, f
}
