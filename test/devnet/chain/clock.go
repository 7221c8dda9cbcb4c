package chain

import (
	"encoding/binary"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/tuttinode/tutti/core/protocol"
)

// L1Of returns the L1 block that the transactions of a block saw. It is in the header where Arbitrum keeps it: in
// the second quarter of the mix digest.
func L1Of(h *types.Header) protocol.L1Block {
	return protocol.L1Block(binary.BigEndian.Uint64(h.MixDigest[8:16]))
}

func mixOf(n protocol.L1Block) common.Hash {
	var mix common.Hash
	binary.BigEndian.PutUint64(mix[8:16], uint64(n))
	return mix
}

// AdvanceL1 moves the L1 block on by n, in a block of its own.
func (c *Chain) AdvanceL1(n uint64) (protocol.L1Block, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.advanceTo(c.L1Head() + protocol.L1Block(n))
}

// AdvanceL1To moves the L1 block on to a number, unless it is there already.
func (c *Chain) AdvanceL1To(to protocol.L1Block) (protocol.L1Block, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.advanceTo(max(to, c.L1Head()))
}

func (c *Chain) advanceTo(to protocol.L1Block) (protocol.L1Block, error) {
	if to == c.L1Head() {
		return to, nil
	}
	_, err := c.make(plan{l1: to, pool: c.automine})
	return to, err
}

// advance returns the transaction with which the sequencer sets the clock. It is nil
// on a chain without clock.
func (c *Chain) advance(nonce uint64, to protocol.L1Block, fee *big.Int) (*types.Transaction, error) {
	if len(c.opt.Clock) == 0 {
		return nil, nil
	}
	data := append(crypto.Keccak256([]byte("advanceTo(uint256)"))[:4],
		common.BigToHash(new(big.Int).SetUint64(uint64(to))).Bytes()...)
	// The price is twice the fee so that the same transaction fits into a fork.
	tx, err := types.SignNewTx(sequencer(), c.Signer(), &types.DynamicFeeTx{
		ChainID: new(big.Int).SetUint64(c.opt.ChainID), Nonce: nonce, GasTipCap: new(big.Int),
		GasFeeCap: new(big.Int).Lsh(fee, 1), Gas: clockGas, To: &ClockAddress, Data: data,
	})
	if err != nil {
		return nil, fmt.Errorf("sign the L1 clock's transaction: %w", err)
	}
	return tx, nil
}

// clockGas is enough for one write and one event.
const clockGas = 200_000

// Signer signs transactions for this chain.
func (c *Chain) Signer() types.Signer {
	return types.LatestSignerForChainID(new(big.Int).SetUint64(c.opt.ChainID))
}
