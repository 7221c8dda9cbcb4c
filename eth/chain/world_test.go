package chain

import (
	"context"
	"errors"
	"math/big"
	"slices"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/contracts"
	"github.com/tuttinode/tutti/eth/contracts/bindings"
	"github.com/tuttinode/tutti/eth/endpoint"
)

// truth is what the contracts of a world say at one block.
type truth struct {
	lastInit protocol.Round
	paused   bool
	stake    uint64
	uri      string
	pool     int
	outside  bool // not registered
	locks    map[uint64]uint64
	nextLock uint64
	deposit  uint64
}

func (t truth) copied() truth {
	locks := make(map[uint64]uint64)
	for id, amount := range t.locks {
		locks[id] = amount
	}
	t.locks = locks
	return t
}

// Rounds of a world: 100 layer-1 blocks from block 1000, which is round 10.
const (
	worldRound  = 10
	worldStart  = 1000
	worldLength = 100
)

// worldBlock is a block with what the contracts say in it.
type worldBlock struct {
	head protocol.Head
	logs []types.Log
	truth
}

// world is a chain in memory, with the contracts as far as following needs them.
// It is a Client.
type world struct {
	me      core.Address
	at      contracts.Addresses
	methods map[[4]byte]abi.Method
	heads   chan protocol.Head

	mu      sync.Mutex
	blocks  []worldBlock // guarded by mu; the first is block 1
	forks   byte
	failing int
	down    bool
	noLogs  bool
	hushed  bool
	// refuses returns no logs.
	refuses bool
	// invented are the logs that another endpoint shows to LogsFromEach.
	invented []types.Log
	calls    map[string]int
	// oneTx: the logs of a block are of one transaction.
	oneTx bool
	// members is how many are in the pool's list.
	members int
	// falseL1 is the layer-1 height that the contracts give in place of a block's; 0 for the block's.
	falseL1 protocol.L1Block
	// blockTime is the network's L1BlockTime.
	blockTime time.Duration
	// span is what one log request takes, asked how many blocks were asked for.
	span, asked uint64
}

func newWorld(me core.Address) *world {
	w := &world{
		me: me, methods: make(map[[4]byte]abi.Method), heads: make(chan protocol.Head, 1), calls: make(map[string]int),
		span: 1000,
		at: contracts.Addresses{Controller: addressOf(200), LivepeerToken: addressOf(201), BondingManager: addressOf(202),
			TicketBroker:  addressOf(203),
			RoundsManager: addressOf(204), Minter: addressOf(205), ServiceRegistry: addressOf(206)},
	}
	for _, meta := range []interface{ ParseABI() (*abi.ABI, error) }{
		&bindings.ControllerMetaData, &bindings.BondingManagerMetaData, &bindings.RoundsManagerMetaData,
		&bindings.TicketBrokerMetaData,
		&bindings.LivepeerTokenMetaData, &bindings.ServiceRegistryMetaData,
	} {
		parsed, err := meta.ParseABI()
		if err != nil {
			panic(err)
		}
		for _, m := range parsed.Methods {
			w.methods[[4]byte(m.ID)] = m
		}
	}
	w.mine(worldStart, func(t *truth) []types.Log {
		t.lastInit = worldRound
		return nil
	})
	return w
}

// mine adds a block with a layer-1 height, in which f changes the contracts and
// says what they log.
func (w *world) mine(l1 protocol.L1Block, f func(*truth) []types.Log) {
	w.mu.Lock()
	defer w.mu.Unlock()
	b := worldBlock{}
	if len(w.blocks) > 0 {
		last := w.blocks[len(w.blocks)-1]
		b.truth, b.head.Parent, b.head.L1 = last.copied(), last.head.Hash, last.head.L1
	} else {
		b.truth = truth{}.copied()
	}
	b.head.Number, b.head.L1 = protocol.L2Block(len(w.blocks)+1), max(b.head.L1, l1)
	b.head.Hash = protocol.Hash(crypto.Keccak256Hash(b.head.Parent[:], []byte{w.forks, byte(len(w.blocks)),
		byte(len(w.blocks) >> 8)}))
	if f != nil {
		b.logs = f(&b.truth)
	}
	for i := range b.logs {
		b.logs[i].BlockNumber, b.logs[i].BlockHash, b.logs[i].Index = uint64(b.head.Number), common.Hash(b.head.Hash), uint(i)
		b.logs[i].TxHash = common.Hash{byte(b.head.Number), byte(b.head.Number >> 8), byte(i), 1}
		if w.oneTx {
			b.logs[i].TxHash = b.logs[0].TxHash
		}
	}
	w.blocks = append(w.blocks, b)
	if w.down || w.hushed {
		return
	}
	select {
	case <-w.heads:
	default:
	}
	w.heads <- b.head
}

// reorganize drops the last blocks; the next one that is mined is another.
func (w *world) reorganize(depth int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.forks++
	w.blocks = w.blocks[:max(1, len(w.blocks)-depth)]
}

func (w *world) last() worldBlock {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.blocks[len(w.blocks)-1]
}

var errWorld = errors.New("the endpoint is out of order")

// enter counts a call and says whether it fails.
func (w *world) enter(method string) error {
	w.calls[method]++
	if w.down {
		return errWorld
	}
	if w.failing > 0 {
		w.failing--
		return errWorld
	}
	return nil
}

func (w *world) ChainID() uint64 { return 7 }

func (w *world) Status() endpoint.Status {
	w.mu.Lock()
	defer w.mu.Unlock()
	return endpoint.Status{Endpoints: []endpoint.EndpointStatus{
		{Name: "world", State: endpoint.Serving, LogSpan: max(w.span, 1)},
	}}
}

func (w *world) Heads(ctx context.Context) <-chan protocol.Head { return w.heads }

func (w *world) Head(context.Context) (protocol.Head, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.blocks[len(w.blocks)-1].head, w.enter("head")
}

func (w *world) HeaderByNumber(_ context.Context, n protocol.L2Block) (protocol.Head, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.enter("header"); err != nil || n == 0 || int(n) > len(w.blocks) {
		return protocol.Head{}, errWorld
	}
	return w.blocks[n-1].head, nil
}

func (w *world) BalanceAt(context.Context, common.Address, protocol.L2Block) (core.Wei, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return core.NewWei(5), w.enter("balance")
}

func (w *world) Logs(_ context.Context, from, to protocol.L2Block, filter endpoint.LogFilter) ([]types.Log,
	protocol.L2Block, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.enter("logs"); err != nil || w.refuses {
		return nil, from, errWorld
	}
	w.asked += uint64(to-from) + 1
	var out []types.Log
	for n := from; n <= to && int(n) <= len(w.blocks) && !w.noLogs; n++ {
		for _, l := range w.blocks[n-1].logs {
			if slices.Contains(filter.Addresses, l.Address) && matches(filter.Topics, l.Topics) {
				out = append(out, l)
			}
		}
	}
	return out, to + 1, nil
}

// Quorum and Proven are the world itself, which never lies.
func (w *world) Quorum() contracts.Batcher   { return w }
func (w *world) Majority() contracts.Batcher { return w }

func (w *world) LogsFromEach(ctx context.Context, from, to protocol.L2Block, filter endpoint.LogFilter,
	look func([]types.Log) (bool, error)) error {
	logs, _, err := w.Logs(ctx, from, to, filter)
	if err != nil {
		return err
	}
	if len(w.invented) > 0 {
		if found, err := look(w.invented); found || err != nil {
			return err
		}
	}
	_, err = look(logs)
	return err
}

func (w *world) CallBatch(
	_ context.Context, at protocol.L2Block, calls []ethereum.CallMsg,
) ([]contracts.Result, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.enter("batch"); err != nil {
		return nil, err
	}
	if at == contracts.Latest {
		at = protocol.L2Block(len(w.blocks))
	}
	if int(at) > len(w.blocks) {
		return nil, errWorld
	}
	b := w.blocks[at-1]
	if w.falseL1 != 0 {
		b.head.L1 = w.falseL1
	}
	out := make([]contracts.Result, len(calls))
	for i, c := range calls {
		m, ok := w.methods[[4]byte(c.Data[:4])]
		if !ok {
			return nil, errWorld
		}
		args, err := m.Inputs.Unpack(c.Data[4:])
		if err != nil {
			return nil, err
		}
		if out[i].Data, err = m.Outputs.Pack(w.answer(b, m.Name, args)...); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// TransactionReceipt has the logs of a transaction.
func (w *world) TransactionReceipt(_ context.Context, hash protocol.TxHash) (*types.Receipt, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.enter("receipt"); err != nil {
		return nil, err
	}
	r := &types.Receipt{TxHash: common.Hash(hash)}
	for _, b := range w.blocks {
		for i := range b.logs {
			if b.logs[i].TxHash == r.TxHash {
				r.Logs = append(r.Logs, &b.logs[i])
			}
		}
	}
	if len(r.Logs) == 0 {
		return nil, ethereum.NotFound
	}
	return r, nil
}

func (w *world) TransactionByHash(context.Context, protocol.TxHash) (*types.Transaction, bool, error) {
	return nil, false, ethereum.NotFound
}

func matches(wanted [][]common.Hash, topics []common.Hash) bool {
	for i, any := range wanted {
		if i >= len(topics) || len(any) > 0 && !slices.Contains(any, topics[i]) {
			return false
		}
	}
	return true
}

func num(n uint64) *big.Int { return new(big.Int).SetUint64(n) }
