package contracts

import (
	"context"

	"github.com/ethereum/go-ethereum"

	"github.com/tuttinode/tutti/core/protocol"
)

// Latest asks for the newest block the endpoint knows.
const Latest protocol.L2Block = 0

// Result is the answer to one call of a batch: its data, or why the endpoint
// refused it. Err may carry revert data as go-ethereum's rpc.DataError does.
type Result struct {
	Data []byte
	Err  error
}

// Batcher runs eth_call for each of the calls in one request, at block at or, for
// Latest, at the newest. It returns one Result per call in their order; its own
// error means that no answer came at all.
type Batcher interface {
	CallBatch(ctx context.Context, at protocol.L2Block, calls []ethereum.CallMsg) ([]Result, error)
}
