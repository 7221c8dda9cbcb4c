package main

import (
	"context"
	"crypto/ecdsa"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/tuttinode/tutti/test/devnet/control"
)

// batch is transactions that go into one block in their order.
type batch struct {
	deployment *Deployment
	signer     types.Signer
	feeCap     *big.Int
	nonces     map[common.Address]uint64
	txs        []*types.Transaction
	whats      []string
	err        error
}

// Gas that is enough for any call of the protocol, and how many transactions go into
// a block at most: the block stays in memory twice while it is made.
const (
	gasEach  = 8_000_000
	perBlock = 500
)

func (s *Deployment) batch() *batch {
	return &batch{
		deployment: s, signer: s.chain.Signer(), nonces: make(map[common.Address]uint64),
		feeCap: new(big.Int).Lsh(s.chain.BaseFee().Big(), 1),
	}
}

// send adds a transaction. The first failure is what run returns.
func (b *batch) send(key *ecdsa.PrivateKey, what string, to *common.Address, value *big.Int, data []byte) {
	from := control.Address(key)
	nonce, known := b.nonces[from]
	if !known {
		nonce = b.deployment.chain.Nonce(from)
	}
	b.nonces[from] = nonce + 1
	tx, err := types.SignNewTx(key, b.signer, &types.DynamicFeeTx{
		ChainID: b.signer.ChainID(), Nonce: nonce, GasTipCap: new(big.Int), GasFeeCap: b.feeCap, Gas: gasEach, To: to,
		Value: value, Data: data,
	})
	if err != nil && b.err == nil {
		b.err = fmt.Errorf("sign %s: %w", what, err)
	}
	b.txs, b.whats = append(b.txs, tx), append(b.whats, what)
}

// call adds a call of a contract.
func (b *batch) call(key *ecdsa.PrivateKey, contract, method string, args ...any) {
	what, to := contract+"."+method, b.deployment.Address(contract)
	data, err := b.deployment.abis[contract].Pack(method, args...)
	if err != nil {
		if b.err == nil {
			b.err = fmt.Errorf("%s: %w", what, err)
		}
		return
	}
	b.send(key, what, &to, nil, data)
}

// run has everything executed. A transaction that reverts is an error.
func (b *batch) run(ctx context.Context) error {
	if b.err != nil {
		return b.err
	}
	for start := 0; start < len(b.txs); start += perBlock {
		end := min(start+perBlock, len(b.txs))
		receipts, err := b.deployment.chain.Execute(b.txs[start:end]...)
		if err != nil {
			return err
		}
		for i, r := range receipts {
			if r.Status != types.ReceiptStatusSuccessful {
				return fmt.Errorf("%s reverted: %w", b.whats[start+i], b.reason(ctx, b.txs[start+i], r))
			}
		}
	}
	return nil
}

// reason asks the chain why a transaction reverted.
func (b *batch) reason(ctx context.Context, tx *types.Transaction, r *types.Receipt) error {
	from, err := types.Sender(b.signer, tx)
	if err != nil {
		return err
	}
	message := ethereum.CallMsg{From: from, To: tx.To(), Value: tx.Value(), Data: tx.Data(), Gas: tx.Gas()}
	if _, err := b.deployment.client.CallContract(ctx, message, r.BlockNumber); err != nil {
		return err
	}
	return fmt.Errorf("after %d gas, for a reason that has passed", r.GasUsed)
}
