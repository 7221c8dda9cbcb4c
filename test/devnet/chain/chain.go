package chain

import (
	"errors"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/eth"
	"github.com/ethereum/go-ethereum/node"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// Chain is a running chain. Its methods may be called from any goroutine. Blocks
// are made on request, and by Run.
type Chain struct {
	opt   Options
	stack *node.Node
	eth   *eth.Ethereum

	changed chan struct{} // signals Run that a period has changed

	// mu guards what follows and is held while a block is made.
	mu        sync.Mutex
	baseFee   core.Wei
	spike     spike
	l1Time    time.Duration
	blockTime time.Duration
	automine  bool
	forks     uint64
}

// New starts a chain at its genesis. Close ends it.
func New(opt Options) (*Chain, error) {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	stack, backend, err := startNode(opt)
	if err != nil {
		return nil, err
	}
	return &Chain{
		opt: opt, stack: stack, eth: backend, changed: make(chan struct{}, 1),
		baseFee: opt.BaseFee, l1Time: opt.L1Time, blockTime: opt.BlockTime, automine: true,
	}, nil
}

// Close stops the node.
func (c *Chain) Close() error { return c.stack.Close() }

// Dial returns a client of the node within this process.
func (c *Chain) Dial() *rpc.Client { return c.stack.Attach() }

// Head returns the newest block's header.
func (c *Chain) Head() *types.Header { return c.eth.BlockChain().CurrentBlock() }

// L1Head returns the L1 block that the newest block saw.
func (c *Chain) L1Head() protocol.L1Block { return L1Of(c.Head()) }

// Nonce returns the nonce of an account's next transaction, without what is in the
// pool.
func (c *Chain) Nonce(account common.Address) uint64 {
	db, err := c.eth.BlockChain().StateAt(c.Head().Root)
	if err != nil {
		// All states are kept in memory.
		panic(err)
	}
	return db.GetNonce(account)
}

// Automine says whether a transaction that arrives is mined at once.
func (c *Chain) Automine() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.automine
}

// SetAutomine makes transactions be mined as they arrive, or leaves them in the
// pool until the next block.
func (c *Chain) SetAutomine(on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.automine = on
	c.wake()
}

// SetBlockTime sets how often a block is made; 0 is never by itself.
func (c *Chain) SetBlockTime(every time.Duration) error {
	return c.setPeriod(&c.blockTime, every)
}

// SetL1Time sets how often the L1 block advances; 0 is never by itself.
func (c *Chain) SetL1Time(every time.Duration) error {
	return c.setPeriod(&c.l1Time, every)
}

var errPeriod = errors.New("a period must be 0 or at least 10ms")

func (c *Chain) setPeriod(field *time.Duration, every time.Duration) error {
	if every != 0 && every < 10*time.Millisecond {
		return errPeriod
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	*field = every
	c.wake()
	return nil
}

func (c *Chain) wake() {
	select {
	case c.changed <- struct{}{}:
	default:
	}
}
