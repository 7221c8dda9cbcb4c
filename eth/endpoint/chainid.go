package endpoint

import (
	"context"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"
)

// layerOneID is Ethereum's own chain ID.
const layerOneID = 1

// chainIDTTL is how long a chain ID is valid on a connection that never failed.
const chainIDTTL = 10 * time.Minute

// chain is the chain that all endpoints must serve.
type chain struct {
	mu sync.Mutex
	id uint64 // guarded by mu; 0 until the first endpoint answered
}

func (c *chain) get() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.id
}

// accept compares an endpoint's chain ID with the expected one, which the first answer sets when none is
// configured. Layer 1 is accepted only when it is configured.
func (c *chain) accept(name string, id uint64) *failure {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case id == layerOneID && c.id != layerOneID:
		return fail(layerOne, name, "this is a layer-1 endpoint (chain ID 1); use a layer-2 (Arbitrum One, 42161) URL")
	case c.id != 0 && c.id != id:
		return fail(wrongChain, name, "chain ID %d, expecting chainID of %d", id, c.id)
	}
	c.id = id
	return nil
}

// verify checks the chain ID before the first use, after every failed connection, and periodically.
func (r *remote) verify(ctx context.Context) *failure {
	if r.verified() {
		return nil
	}
	select {
	case r.checking <- struct{}{}:
		defer func() { <-r.checking }()
	case <-ctx.Done():
		return netFailure(ctx, r.addr.name, ctx.Err())
	}
	if r.verified() {
		return nil
	}
	out, took, f := r.send(ctx, r.timeout, request{method: "eth_chainId"})
	if f == nil {
		f = r.checkChain(out[0])
	}
	if f != nil {
		// A copy, because requests that shared one connection share its failure.
		early := *f
		early.early = true
		if f.kind != layerOne && f.kind != wrongChain {
			early.detail = "could not retrieve chain ID: " + f.detail
		}
		r.recordResult(&early, took)
		return &early
	}
	r.recordChainID(took)
	return nil
}

// recordChainID records the right chain ID. It is not a success: nodes that serve nothing else still answer
// it, so only the request that needed it closes the breaker and clears a condition.
func (r *remote) recordChainID(took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tried = true
	r.recordLatency(took)
	r.verifiedAt = r.now()
}

func (r *remote) checkChain(answer response) *failure {
	if answer.err != nil {
		if _, f := classifyError(*answer.err, r.addr.name, r.addr.redactor); f != nil {
			return f
		}
	}
	id, err := hexutil.DecodeUint64(unquote(answer.result))
	if err != nil || id == 0 {
		return fail(garbage, r.addr.name, "the answer is no chain ID")
	}
	return r.chain.accept(r.addr.name, id)
}

func (r *remote) verified() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.verifiedAt.IsZero() && r.now().Sub(r.verifiedAt) < chainIDTTL
}
