package chaos

import (
	"context"
	"crypto/ecdsa"
	"fmt"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"

	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/test/devnet/control"
)

// ledger reads what became of the account from the chain itself, through an
// endpoint that always behaves.
type ledger struct {
	*ethclient.Client
	chainID         *big.Int
	bonding, rounds common.Address
	key             *ecdsa.PrivateKey
	account         common.Address
}

func newLedger(client *ethclient.Client, info control.Info, key *ecdsa.PrivateKey) ledger {
	return ledger{
		Client: client, chainID: new(big.Int).SetUint64(info.ChainID), key: key, account: control.Address(key),
		bonding: info.Contracts["BondingManager"], rounds: info.Contracts["RoundsManager"],
	}
}

// selector is the beginning of a call's data.
func selector(signature string) [4]byte { return [4]byte(crypto.Keccak256([]byte(signature))) }

// Verbs of the calls that a node makes by itself, and of all others.
const (
	verbReward = "reward"
	verbInit   = "initializeRound"
	verbOther  = "other"
)

// verb is what a transaction does.
func (l ledger) verb(tx *types.Transaction) string {
	if tx.To() == nil || len(tx.Data()) < 4 {
		return verbOther
	}
	switch called := [4]byte(tx.Data()); {
	case *tx.To() == l.bonding &&
		(called == selector("reward()") || called == selector("rewardWithHint(address,address)")):
		return verbReward
	case *tx.To() == l.rounds && called == selector("initializeRound()"):
		return verbInit
	}
	return verbOther
}

// entry is one transaction of the account that is in the chain.
type entry struct {
	block protocol.L2Block
	nonce uint64
	hash  common.Hash
	verb  string
	ok    bool
}

// entries are the account's transactions in a span of blocks.
func (l ledger) entries(ctx context.Context, from, to protocol.L2Block) (out []entry, err error) {
	signer := types.LatestSignerForChainID(l.chainID)
	for n := from; n <= to; n++ {
		block, err := l.BlockByNumber(ctx, new(big.Int).SetUint64(uint64(n)))
		if err != nil {
			return nil, fmt.Errorf("read block %d: %w", n, err)
		}
		for _, tx := range block.Transactions() {
			if sender, err := types.Sender(signer, tx); err != nil || sender != l.account {
				continue
			}
			receipt, err := l.TransactionReceipt(ctx, tx.Hash())
			if err != nil {
				return nil, fmt.Errorf("read the receipt of %s: %w", tx.Hash(), err)
			}
			out = append(out, entry{block: n, nonce: tx.Nonce(), hash: tx.Hash(), verb: l.verb(tx),
				ok: receipt.Status == types.ReceiptStatusSuccessful})
		}
	}
	return out, nil
}

// rewards are the blocks of the account's Reward events in a span of blocks, which
// ends with the newest where to is 0.
func (l ledger) rewards(ctx context.Context, from, to protocol.L2Block) ([]protocol.L2Block, error) {
	query := ethereum.FilterQuery{
		FromBlock: new(big.Int).SetUint64(uint64(from)),
		Addresses: []common.Address{l.bonding},
		Topics: [][]common.Hash{{crypto.Keccak256Hash([]byte("Reward(address,uint256)"))},
			{common.BytesToHash(l.account[:])}},
	}
	if to != 0 {
		query.ToBlock = new(big.Int).SetUint64(uint64(to))
	}
	logs, err := l.FilterLogs(ctx, query)
	var out []protocol.L2Block
	for _, log := range logs {
		out = append(out, protocol.L2Block(log.BlockNumber))
	}
	return out, err
}

// lastRewardRound is the round of the account's last reward as the contract has it.
func (l ledger) lastRewardRound(ctx context.Context) (protocol.Round, error) {
	call := selector("getTranscoder(address)")
	out, err := l.CallContract(ctx,
		ethereum.CallMsg{To: &l.bonding, Data: append(call[:], common.BytesToHash(l.account[:]).Bytes()...)}, nil)
	if err != nil || len(out) < 32 {
		return 0, fmt.Errorf("read the orchestrator's record: %d bytes, %w", len(out), err)
	}
	return protocol.Round(new(big.Int).SetBytes(out[:32]).Uint64()), nil
}

// waiting is how many of the account's transactions are in the pool.
func (l ledger) waiting(ctx context.Context) (uint64, error) {
	mined, err := l.NonceAt(ctx, l.account, nil)
	if err != nil {
		return 0, err
	}
	pending, err := l.PendingNonceAt(ctx, l.account)
	return pending - min(mined, pending), err
}

// write sends a transaction of any wallet's, priced to be mined before all others.
func (l ledger) write(ctx context.Context, key *ecdsa.PrivateKey, nonce uint64, to common.Address,
	data []byte) (common.Hash, error) {
	tx, err := types.SignNewTx(key, types.LatestSignerForChainID(l.chainID), &types.DynamicFeeTx{
		ChainID: l.chainID, Nonce: nonce, Gas: 2_000_000, GasFeeCap: big.NewInt(100e9), GasTipCap: big.NewInt(1e9), To: &to,
		Data: data,
	})
	if err != nil {
		return common.Hash{}, err
	}
	return tx.Hash(), l.SendTransaction(ctx, tx)
}

// successes are how many entries of a verb did what they were to do, those of a
// foreign wallet left out.
func successes(entries []entry, verb string, foreign []common.Hash) (n int) {
	for _, e := range entries {
		if e.ok && e.verb == verb && !slices.Contains(foreign, e.hash) {
			n++
		}
	}
	return n
}
