package contracts

import (
	"context"
	"fmt"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// Read is one question to a contract together with where its answer goes. It is
// made by the methods of Reads.
type Read struct {
	name   string
	to     core.Address
	data   []byte
	decode func([]byte) error
	// lenient: a contract that does not know the question leaves the zero answer.
	lenient bool
}

// Name returns the contract and its function, for logs and errors.
func (r Read) Name() string { return r.name }

// ReadAll asks all questions at block at, or at Latest, and fills in the
// answers in the order of reads; they all see one block. The error is a fault and
// says which read failed; answers before it may be filled in.
func ReadAll(ctx context.Context, b Batcher, at protocol.L2Block, reads ...Read) error {
	if len(reads) == 0 {
		return nil
	}
	calls := make([]ethereum.CallMsg, len(reads))
	for i, r := range reads {
		if r.to.IsZero() {
			return fault.New(fault.ContractMissing, "read "+r.name, "the network has no such contract")
		}
		to := common.Address(r.to)
		calls[i] = ethereum.CallMsg{To: &to, Data: r.data}
	}
	results, err := b.CallBatch(ctx, at, calls)
	if err != nil {
		return fmt.Errorf("read contracts: %w", err)
	}
	if len(results) != len(reads) {
		return fault.New(fault.ContractAnswerInvalid, "read contracts", fmt.Sprintf("%d answers to %d calls", len(results),
			len(reads)))
	}
	for i, r := range reads {
		if err := r.take(results[i]); err != nil {
			return err
		}
	}
	return nil
}

// take checks and decodes one answer. An empty one comes from an address without code.
func (r Read) take(result Result) error {
	op := "read " + r.name
	switch {
	case result.Err != nil && r.lenient && IsRevert(result.Err):
		return nil
	case result.Err != nil:
		return Explain(op, result.Err)
	case len(result.Data) == 0 && r.lenient:
		return nil
	case len(result.Data) == 0:
		return fault.New(fault.ContractMissing, op, "nothing answers at "+r.to.String())
	}
	if err := r.decode(result.Data); err != nil {
		return fault.Wrap(fault.ContractAnswerInvalid, op, err)
	}
	return nil
}

// view makes a read out of a binding's halves and what takes the answer.
func view[T any](name string, to core.Address, data []byte, unpack func([]byte) (T, error),
	take func(*convert, T)) Read {
	return Read{name: name, to: to, data: data, decode: func(answer []byte) error {
		v, err := unpack(answer)
		if err != nil {
			return err
		}
		c := new(convert)
		take(c, v)
		return c.err
	}}
}

// OrZero makes a read whose answer stays zero where no contract answers: of what older
// contracts do not have, or of an address that may have no contract.
func (r Read) OrZero() Read {
	r.lenient = true
	return r
}
