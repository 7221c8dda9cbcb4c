package chain

import (
	"context"
	"errors"
	"fmt"

	ethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// plan is what a block is to hold.
type plan struct {
	// l1 is the L1 block; 0 leaves it.
	l1 protocol.L1Block
	// must are transactions that have to be in it, in this order.
	must []*types.Transaction
	// pool adds what waits in the pool.
	pool bool
}

// draft is a block in the making.
type draft struct {
	chain    *Chain
	header   *types.Header
	state    *state.StateDB
	evm      *vm.EVM
	gas      *ethcore.GasPool
	txs      []*types.Transaction
	receipts []*types.Receipt
}

// draft begins a block on a parent.
func (c *Chain) draft(header *types.Header, parent *types.Header) (*draft, error) {
	db, err := c.eth.BlockChain().StateAt(parent.Root)
	if err != nil {
		return nil, fmt.Errorf("open the state of block %v: %w", parent.Number, err)
	}
	context := ethcore.NewEVMBlockContext(header, c.eth.BlockChain(), &header.Coinbase)
	return &draft{
		chain: c, header: header, state: db, gas: ethcore.NewGasPool(header.GasLimit),
		evm: vm.NewEVM(context, db, c.eth.BlockChain().Config(), vm.Config{}),
	}, nil
}

// add executes a transaction. A failure leaves the draft as it was; a
// transaction that reverts is no failure.
func (d *draft) add(tx *types.Transaction) error {
	snapshot, gas := d.state.Snapshot(), d.gas.Snapshot()
	d.state.SetTxContext(tx.Hash(), len(d.txs))
	receipt, err := ethcore.ApplyTransaction(d.evm, d.gas, d.state, d.header, tx)
	if err != nil {
		d.state.RevertToSnapshot(snapshot)
		d.gas.Set(gas)
		return err
	}
	d.header.GasUsed = d.gas.Used()
	d.txs = append(d.txs, tx)
	d.receipts = append(d.receipts, receipt)
	return nil
}

// clock adds the sequencer's transaction when the L1 block has changed.
func (d *draft) clock(parent *types.Header) error {
	to := L1Of(d.header)
	if to == L1Of(parent) {
		return nil
	}
	tx, err := d.chain.advance(d.state.GetNonce(Address(sequencer())), to, d.header.BaseFee)
	if err != nil || tx == nil {
		return err
	}
	if err := d.add(tx); err != nil {
		return fmt.Errorf("advance the L1 clock: %w", err)
	}
	if d.receipts[len(d.receipts)-1].Status != types.ReceiptStatusSuccessful {
		return errors.New("the L1 clock refuses its sequencer")
	}
	return nil
}

// store finishes the block and keeps it, next to the chain so far.
func (d *draft) store() (*types.Block, error) {
	ctx, blocks := context.Background(), d.chain.eth.BlockChain()
	body := types.Body{Transactions: d.txs, Withdrawals: types.Withdrawals{}}
	block, err := newEngine().FinalizeAndAssemble(ctx, blocks, d.header, d.state, &body, d.receipts)
	if err != nil {
		return nil, fmt.Errorf("finish block %v: %w", d.header.Number, err)
	}
	if _, err := blocks.InsertBlockWithoutSetHead(ctx, block, false); err != nil {
		return nil, fmt.Errorf("store block %v: %w", d.header.Number, err)
	}
	return block, nil
}

// header returns a block's on top of a parent.
func (c *Chain) header(parent *types.Header, l1 protocol.L1Block, fee core.Wei, seconds uint64) *types.Header {
	var zero uint64
	number := parent.Number.Uint64() + 1
	h := &types.Header{
		ParentHash: parent.Hash(), Number: bigOf(number), Difficulty: bigOf(0), GasLimit: gasLimit,
		Time: max(parent.Time, seconds), BaseFee: fee.Big(), MixDigest: mixOf(l1),
		BlobGasUsed: &zero, ExcessBlobGas: &zero, ParentBeaconRoot: &types.EmptyRootHash,
	}
	if c.forks > 0 {
		// Otherwise a block that is made again would be the same block.
		h.Extra = fmt.Appendf(nil, "fork %d", c.forks)
	}
	return h
}
