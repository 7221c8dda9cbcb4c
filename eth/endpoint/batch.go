package endpoint

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/ethereum/go-ethereum"
	"golang.org/x/sync/errgroup"

	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/ethcall"
)

// Providers bound batches; a hundred calls are taken everywhere that takes any.
const (
	batchSize = 100
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

// callAll sends the calls in batches of a bounded size.
func (r *remote) callAll(ctx context.Context, tag string, calls []ethereum.CallMsg) ([]ethcall.Result, error) {
	if f := r.verify(ctx); f != nil {
		return nil, f
	}
	out := make([]ethcall.Result, 0, len(calls))
	for len(calls) > 0 {
		n := min(len(calls), batchSize)
		reqs := make([]request, n)
		for i, c := range calls[:n] {
			reqs[i] = request{"eth_call", []any{callParams(c), tag}}
		}
		part, err := r.callPart(ctx, reqs)
		if err != nil {
			return nil, err
		}
		out = append(out, part...)
		calls = calls[n:]
	}
	return out, nil
}

func (r *remote) callPart(ctx context.Context, reqs []request) ([]ethcall.Result, error) {
	r.mu.Lock()
	single := r.noBatch || len(reqs) == 1
	r.mu.Unlock()
	if single {
		return r.callSingly(ctx, reqs)
	}
	answers, took, f := r.send(ctx, r.timeout, reqs...)
	if f == nil && len(answers) != len(reqs) {
		f = r.batchRefusal(answers[0])
	}
	if f != nil && f.kind == batchless {
		r.mu.Lock()
		r.noBatch = true
		r.mu.Unlock()
		r.settleWith(f, took)
		return r.callSingly(ctx, reqs)
	}
	if f != nil {
		r.settleWith(f, took)
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
	return out, nil
}

// batchRefusal reads the one error that a whole batch was answered with.
func (r *remote) batchRefusal(answer response) *failure {
	_, f := judge(*answer.err, r.to.name, r.to.hide)
	if f != nil && (f.kind == throttled || f.kind == denied || f.kind == behind) {
		return f
	}
	return fail(batchless, r.to.name, "takes no batches")
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
