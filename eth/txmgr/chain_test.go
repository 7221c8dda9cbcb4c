package txmgr_test

import (
	"context"
	"encoding/binary"
	"errors"
	"math/big"
	"slices"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// chain is a chain in memory with one account on it, an endpoint in front of it,
// and knobs for everything that goes wrong with both.
type chain struct {
	mu      sync.Mutex
	blocks  []*block
	pool    map[uint64]*types.Transaction
	made    uint64 // blocks ever made: their hashes differ
	base    uint64
	tip     uint64
	balance *big.Int
	l1      uint64

	loseAnswers   int   // the next sends are taken, and their answers lost
	swallow       int   // the next sends are answered, and lost
	refuse        error // sends are refused for this
	strict        bool  // refuses gaps and low fees, as a sequencer does
	noReceipts    bool  // the endpoint has none
	noTraces      bool  // it knows no transactions either
	nameless      error // block 0 is refused for this
	estimateError error // estimates are refused for this
	reverts       bool  // every call reverts, in estimates and blocks
	calls         map[string]int
	onSend        func(*types.Transaction)
}

type block struct {
	hash, parent common.Hash
	number       uint64
	txs          []*types.Transaction
	status       []uint64
	base         uint64
	l1           uint64
	at           time.Time
}

var errRevert = errors.New("execution reverted")

const gwei = 1_000_000_000

func newChain() *chain {
	c := &chain{pool: make(map[uint64]*types.Transaction), base: gwei, balance: new(big.Int).Mul(big.NewInt(100),
		big.NewInt(1e18)), l1: 1000, calls: make(map[string]int)}
	for range 30 {
		c.seal(nil)
	}
	return c
}

func (c *chain) tipBlock() *block { return c.blocks[len(c.blocks)-1] }

// seal makes a block of transactions. The caller holds mu, or is alone.
func (c *chain) seal(txs []*types.Transaction) {
	c.made++
	b := &block{number: uint64(len(c.blocks)), txs: txs, base: c.base, l1: c.l1, at: time.Now()}
	binary.BigEndian.PutUint64(b.hash[:], c.made)
	if len(c.blocks) > 0 {
		b.parent = c.tipBlock().hash
	}
	for range txs {
		status := types.ReceiptStatusSuccessful
		if c.reverts {
			status = types.ReceiptStatusFailed
		}
		b.status = append(b.status, status)
	}
	c.blocks = append(c.blocks, b)
}

// nonce is that of the account at a height. The caller holds mu.
func (c *chain) nonce(height uint64) (n uint64) {
	for _, b := range c.blocks[:min(height+1, uint64(len(c.blocks)))] {
		n += uint64(len(b.txs))
	}
	return n
}

func (c *chain) latest() uint64 { return c.nonce(uint64(len(c.blocks))) }

// mine makes n blocks; the first takes what the pool has and the price allows.
func (c *chain) mine(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for range n {
		var txs []*types.Transaction
		for at := c.latest(); ; at++ {
			tx := c.pool[at]
			if tx == nil || tx.GasFeeCap().Cmp(new(big.Int).SetUint64(c.base)) < 0 {
				break
			}
			txs = append(txs, tx)
			delete(c.pool, at)
		}
		c.seal(txs)
	}
}

// undo replaces the last n blocks by n+1 empty ones. Their transactions go back to
// the pool, or are lost.
func (c *chain) undo(n int, lost bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	keep := max(len(c.blocks)-n, 1)
	for _, b := range c.blocks[keep:] {
		for _, tx := range b.txs {
			if !lost && c.pool[tx.Nonce()] == nil {
				c.pool[tx.Nonce()] = tx
			}
		}
	}
	c.blocks = slices.Clone(c.blocks[:keep])
	for range n + 1 {
		c.seal(nil)
	}
}

// forget empties the pool.
func (c *chain) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.pool)
}

// intrude mines a transaction of another program that has the key.
func (c *chain) intrude() {
	c.mu.Lock()
	defer c.mu.Unlock()
	tx := signed(c.latest(), common.Address{9}, []byte("foreign"), 5*gwei)
	delete(c.pool, tx.Nonce())
	c.seal([]*types.Transaction{tx})
}

func (c *chain) set(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f()
}

func (c *chain) head() protocol.Head {
	c.mu.Lock()
	defer c.mu.Unlock()
	b := c.tipBlock()
	return protocol.Head{Number: protocol.L2Block(b.number), Hash: protocol.Hash(b.hash), Parent: protocol.Hash(b.parent),
		L1: protocol.L1Block(c.l1), Time: b.at, BaseFee: core.NewWei(c.base)}
}

// done counts the successful transactions in the chain with these data.
func (c *chain) done(data string) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, b := range c.blocks {
		for i, tx := range b.txs {
			if string(tx.Data()) == data && b.status[i] == types.ReceiptStatusSuccessful {
				n++
			}
		}
	}
	return n
}

// waiting is the pool's transaction of a nonce.
func (c *chain) waiting(nonce uint64) *types.Transaction {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pool[nonce]
}

func (c *chain) used() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.latest()
}

// count notes a call.
func (c *chain) count(method string) { c.calls[method]++ }

func (c *chain) asked() (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, k := range c.calls {
		n += k
	}
	return n
}

func (c *chain) Head(context.Context) (protocol.Head, error) {
	c.set(func() { c.count("head") })
	return c.head(), nil
}

func (c *chain) Genesis(context.Context) (protocol.Hash, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count("genesis")
	return protocol.Hash(c.blocks[0].hash), c.nameless
}

func (c *chain) NonceAt(_ context.Context, _ common.Address, at protocol.L2Block) (uint64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count("nonce")
	if at == 0 {
		return c.latest(), nil
	}
	return c.nonce(uint64(at)), nil
}

func (c *chain) PendingNonceAt(context.Context, common.Address) (uint64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count("pending")
	n := c.latest()
	for c.pool[n] != nil {
		n++
	}
	return n, nil
}

func (c *chain) BalanceAt(context.Context, common.Address, protocol.L2Block) (core.Wei, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count("balance")
	return core.WeiOf(c.balance)
}

func (c *chain) SuggestTip(context.Context) (core.Wei, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count("tip")
	return core.NewWei(c.tip), nil
}

func (c *chain) EstimateGas(context.Context, ethereum.CallMsg) (protocol.Gas, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count("estimate")
	if c.estimateError != nil {
		return 0, c.estimateError
	}
	if c.reverts {
		return 0, errRevert
	}
	return 100_000, nil
}

func (c *chain) CallContract(context.Context, ethereum.CallMsg, protocol.L2Block) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count("call")
	if c.reverts {
		return nil, errRevert
	}
	return nil, nil
}

func (c *chain) TransactionReceipt(_ context.Context, hash protocol.TxHash) (*types.Receipt, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count("receipt")
	if c.noReceipts {
		return nil, ethereum.NotFound
	}
	for _, b := range c.blocks {
		for i, tx := range b.txs {
			if tx.Hash() == common.Hash(hash) {
				return &types.Receipt{Status: b.status[i], TxHash: tx.Hash(), BlockHash: b.hash,
					BlockNumber: new(big.Int).SetUint64(b.number),
					GasUsed:     80_000, EffectiveGasPrice: new(big.Int).SetUint64(b.base)}, nil
			}
		}
	}
	return nil, ethereum.NotFound
}

func (c *chain) TransactionByHash(_ context.Context, hash protocol.TxHash) (*types.Transaction, bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count("transaction")
	for _, b := range c.blocks {
		for _, tx := range b.txs {
			if tx.Hash() == common.Hash(hash) && !c.noTraces {
				return tx, true, nil
			}
		}
	}
	return nil, false, ethereum.NotFound
}

func (c *chain) SendTransaction(_ context.Context, tx *types.Transaction) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count("send")
	if c.onSend != nil {
		c.onSend(tx)
	}
	if c.refuse != nil {
		return c.refuse
	}
	if c.swallow > 0 {
		c.swallow--
		return nil
	}
	err := c.take(tx)
	if err == nil && c.loseAnswers > 0 {
		c.loseAnswers--
		return errors.New("connection reset by peer")
	}
	return err
}
