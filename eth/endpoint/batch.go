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
	"github.com/tuttinode/tutti/eth/ethcall"
)

// Providers bound batches; a hundred calls are taken everywhere that takes any.
const (
	batchSize = 100
	// largeBatch is from how many calls on a batch is no read like others.
	largeBatch = 20
	// singles is how many calls go at once to an endpoint without batches.
	singles = 8
)

var _ ethcall.Batcher = (*Pool)(nil)

// CallBatch runs all calls on one endpoint at one block. For ethcall.Latest that
// is the endpoint's newest block, asked for first, so that the answers agree with
// one another.
func (p *Pool) CallBatch(ctx context.Context, block protocol.L2Block, calls []ethereum.CallMsg) ([]ethcall.Result, error) {
	if len(calls) == 0 {
		return nil, nil
	}
	q := query{op: fmt.Sprintf("call contracts (%d calls)", len(calls)), floor: block}
	if len(calls) > largeBatch {
		q.large = (len(calls) + batchSize - 1) / batchSize
	}
	return read(ctx, p, q, func(ctx context.Context, r *remote) ([]ethcall.Result, error) {
		at := block
		if at == ethcall.Latest {
			n, err := ask(ctx, r, r.timeout, readQuantity, "eth_blockNumber")
			if err != nil {
				return nil, err
			}
			r.sawHeight(protocol.L2Block(n))
			if at = protocol.L2Block(n); at < p.newest() {
				return nil, fail(behind, r.to.name, "is at block %d, behind block %d", at, p.newest())
			}
		}
		return r.callAll(ctx, blockTag(at), calls)
	})
}

// Agreed runs batches on a quorum of endpoints: its answers are those of more than
// one endpoint, where more than one answers. Latest is the newest block that is known.
func (p *Pool) Agreed() ethcall.Batcher { return agreed{p, false} }

// Proven is Agreed that takes the word of a single endpoint only where no other is
// given: for what cannot be undone. Without proof the fault is ChainDisputed.
func (p *Pool) Proven() ethcall.Batcher { return agreed{p, true} }

type agreed struct {
	p     *Pool
	proof bool
}

// CallBatch runs all calls at one block on each endpoint of a quorum.
func (a agreed) CallBatch(ctx context.Context, block protocol.L2Block, calls []ethereum.CallMsg) ([]ethcall.Result,
	error) {
	if len(calls) == 0 || len(a.p.remotes) == 1 {
		return a.p.CallBatch(ctx, block, calls)
	}
	block, err := a.p.pinned(ctx, block)
	if err != nil {
		return nil, err
	}
	q := query{op: fmt.Sprintf("call contracts (%d calls)", len(calls)), floor: block}
	if len(calls) > largeBatch {
		q.large = (len(calls) + batchSize - 1) / batchSize
	}
	return agree(ctx, a.p, question[[]ethcall.Result]{
		query: q, same: sameResults, firm: true, proof: a.proof,
		try: func(ctx context.Context, r *remote) ([]ethcall.Result, error) {
			return r.callAll(ctx, blockTag(block), calls)
		},
	})
}

// sameResults compares what two endpoints answered to the same calls.
func sameResults(a, b []ethcall.Result) bool {
	return slices.EqualFunc(a, b, func(a, b ethcall.Result) bool {
		left, _ := errors.AsType[*RPCError](a.Err)
		right, _ := errors.AsType[*RPCError](b.Err)
		if left == nil && right == nil {
			return bytes.Equal(a.Data, b.Data)
		}
		return left != nil && right != nil && sameRefusal(left, right)
	})
}

// callAll sends the calls in batches of the size that the endpoint takes.
func (r *remote) callAll(ctx context.Context, tag string, calls []ethereum.CallMsg) ([]ethcall.Result, error) {
	if f := r.verify(ctx); f != nil {
		return nil, f
	}
	reqs := make([]request, len(calls))
	for i, c := range calls {
		reqs[i] = request{"eth_call", []any{callParams(c), tag}}
	}
	out := make([]ethcall.Result, 0, len(calls))
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

// batchSize is how many calls the endpoint takes at once.
func (r *remote) batchSize() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.batches.size(r.now())
}

func (r *remote) callPart(ctx context.Context, reqs []request, single bool) ([]ethcall.Result, error) {
	if single {
		return r.callSingly(ctx, reqs)
	}
	answers, took, f := r.send(ctx, r.timeout, reqs...)
	if f == nil && len(answers) != len(reqs) {
		f = r.batchRefusal(*answers[0].err, len(reqs))
	} else if f != nil && f.kind == batchless {
		r.refusedBatch(len(reqs), f)
	}
	if f != nil {
		r.settleWith(f, took)
		if f.kind == batchless {
			return r.callSingly(ctx, reqs)
		}
		return nil, f
	}
	out := make([]ethcall.Result, len(answers))
	for i, a := range answers {
		if out[i], f = r.callResult(a); f != nil {
			break
		}
	}
	r.settleWith(f, took)
	if f != nil {
		return nil, f
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.batches.taken()
	return out, nil
}

// batchRefusal reads the one error that a whole batch was answered with. What
// would be a failure of a single call is the same failure here, unless it speaks
// of batches; anything else is a refusal, and the calls may go singly.
func (r *remote) batchRefusal(e wireError, n int) *failure {
	_, f := judge(e, r.to.name, r.to.hide)
	about := strings.Contains(strings.ToLower(e.Message), "batch")
	if f != nil && (f.kind == throttled || f.kind == denied || f.kind == behind) {
		return f
	}
	if f == nil || about {
		f = fail(batchless, r.to.name, "refuses several calls at once: %s", r.to.hide.text(e.Message))
	}
	r.refusedBatch(n, f)
	return f
}

func (r *remote) refusedBatch(n int, f *failure) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.batches.refused(n, f, r.now())
}

// callSingly sends the calls one by one, some at once.
func (r *remote) callSingly(ctx context.Context, reqs []request) ([]ethcall.Result, error) {
	out := make([]ethcall.Result, len(reqs))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(singles)
	for i, req := range reqs {
		group.Go(func() error {
			answers, took, f := r.send(ctx, r.timeout, req)
			if f == nil {
				out[i], f = r.callResult(answers[0])
			}
			r.settleWith(f, took)
			if f != nil {
				return f
			}
			return nil
		})
	}
	return out, group.Wait()
}

// callResult reads one call's answer; a failure speaks of the endpoint.
func (r *remote) callResult(a response) (ethcall.Result, *failure) {
	if a.err != nil {
		answer, f := judge(*a.err, r.to.name, r.to.hide)
		if f != nil {
			return ethcall.Result{}, f
		}
		return ethcall.Result{Err: answer}, nil
	}
	data, f := readBytes(json.RawMessage(a.result))
	if f != nil {
		f.name = r.to.name
	}
	return ethcall.Result{Data: data}, f
}
