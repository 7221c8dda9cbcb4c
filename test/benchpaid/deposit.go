package main

import (
	"context"
	"crypto/ecdsa"
	"fmt"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"

	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/devnet/control"
)

// newDepositor returns a payer, an account of the test chain, and funds it with a deposit of 1 ETH
// and a reserve of 2 ETH.
func newDepositor(ctx context.Context, chain *devnet.Process, number uint64) (*payer, error) {
	key := control.AccountKey(number)
	client, err := ethclient.DialContext(ctx, chain.Info.Endpoints[0])
	if err != nil {
		return nil, err
	}
	defer client.Close()
	ether := big.NewInt(1_000_000_000_000_000_000)
	reserve := new(big.Int).Lsh(ether, 1)
	data := crypto.Keccak256([]byte("fundDepositAndReserve(uint256,uint256)"))[:4]
	data = append(data, common.LeftPadBytes(ether.Bytes(), 32)...)
	data = append(data, common.LeftPadBytes(reserve.Bytes(), 32)...)
	to := chain.Info.Contracts["TicketBroker"]
	return newPayer(key), send(ctx, client, key, &types.DynamicFeeTx{
		ChainID: new(big.Int).SetUint64(chain.Info.ChainID), Gas: 1_000_000, GasFeeCap: big.NewInt(1_000_000_000),
		GasTipCap: new(big.Int),
		To:        &to, Value: new(big.Int).Add(ether, reserve), Data: data,
	})
}

// send sends a transaction and waits until it has succeeded in a block.
func send(ctx context.Context, client *ethclient.Client, key *ecdsa.PrivateKey, inner *types.DynamicFeeTx) (err error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	if inner.Nonce, err = client.PendingNonceAt(ctx, crypto.PubkeyToAddress(key.PublicKey)); err != nil {
		return err
	}
	tx, err := types.SignNewTx(key, types.LatestSignerForChainID(inner.ChainID), inner)
	if err != nil {
		return err
	}
	if err := client.SendTransaction(ctx, tx); err != nil {
		return err
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		receipt, err := client.TransactionReceipt(ctx, tx.Hash())
		switch {
		case err == nil && receipt.Status != types.ReceiptStatusSuccessful:
			return fmt.Errorf("transaction %s reverted", tx.Hash())
		case err == nil:
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("transaction %s: %w", tx.Hash(), err)
		}
	}
}
