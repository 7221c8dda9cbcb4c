package chaos

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"time"

	crand "crypto/rand"
	"encoding/hex"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/endpoint"
	"github.com/tuttinode/tutti/test/devnet/control"
)

// cell is one client with one endpoint that misbehaves.
type cell struct {
	row
	bed bed
	// n is the cell's number, and that of its account.
	n    uint64
	pool *endpoint.Pool
	// node is there where a whole node is needed, with the end of its log.
	node *inside
	log  *tail
	end  func()
}

func (c *cell) account() common.Address { return control.Address(control.AccountKey(c.n)) }

func (c *cell) close() { c.end() }

// open starts the client and waits until it knows the chain.
func (b bed) open(ctx context.Context, r row, at int, dir string) (*cell, error) {
	c := &cell{row: r, bed: b, n: uint64(r.front-healthy)*endpoints + uint64(at)}
	urls := []string{b.URL(0), b.URL(1)}
	urls = append(urls[:at], append([]string{b.URL(r.front)}, urls[at:]...)...)
	var err error
	if r.class == "send" || r.hidesLogs() {
		err = c.startNode(urls, dir)
	} else {
		err = c.startPool(urls)
	}
	if err != nil {
		return nil, err
	}
	if err := c.knows(ctx, 1); err != nil {
		c.close()
		return nil, fmt.Errorf("at the start: %w", err)
	}
	return c, nil
}

// hidesLogs: the endpoint has all blocks and keeps their logs to itself, which no
// answer shows. The client cannot know it; the whole node has to live with it.
func (r row) hidesLogs() bool {
	return r.class == "logs" && (r.Kind == control.EmptyLogs || r.Kind == control.Lag)
}

func (c *cell) startPool(urls []string) error {
	opt := endpoint.Options{ChainID: c.bed.Info.ChainID, PollInterval: 200 * time.Millisecond,
		CallTimeout: 2 * time.Second}
	for _, url := range urls {
		opt.Endpoints = append(opt.Endpoints, endpoint.Endpoint{URL: core.NewSecret(url)})
	}
	pool, err := endpoint.New(opt)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = pool.Run(ctx, func() {})
	}()
	c.pool, c.end = pool, func() { cancel(); <-done }
	return nil
}

func (c *cell) startNode(urls []string, dir string) error {
	key := control.AccountKey(c.n)
	private := core.NewSecret(hex.EncodeToString(crypto.FromECDSA(key)))
	if _, err := keystore(dir).ImportKey(private, passphrase(), crand.Reader, time.Now()); err != nil {
		return err
	}
	// A node without logs reads everything again after minutes.
	pace := int64(1)
	if c.hidesLogs() {
		pace = 100
	}
	c.log = &tail{limit: 40}
	node, err := liveInside(settings{
		Endpoints: urls, Dir: dir, Account: core.Address(c.account()), Poll: 200 * time.Millisecond, Timeout: time.Minute,
		Clock: clock{Begin: time.Now(), Speed: pace},
	}, c.log)
	if err != nil {
		return err
	}
	c.node, c.pool, c.end = node, node.Endpoints, func() { _ = node.stop() }
	return nil
}

// knows waits until the client has seen a block, and a node everything else.
func (c *cell) knows(ctx context.Context, n protocol.L2Block) error {
	return c.await(ctx, fmt.Sprintf("block %d", n), func() bool {
		head, _ := c.pool.Known()
		return head.Number >= n && (c.node == nil || c.node.Chain.View().Known)
	})
}

func (c *cell) await(ctx context.Context, what string, holds func() bool) error {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return errors.New("waited in vain for " + what)
		}
	}
	return nil
}

// try does what the cell is about. A failure of a node comes with its log.
func (c *cell) try(ctx context.Context) error {
	err := c.tryClass(ctx)
	if err != nil && c.log != nil {
		err = fmt.Errorf("%w; last lines of the node:\n%s", err, c.log)
	}
	return err
}

func (c *cell) tryClass(ctx context.Context) error {
	switch {
	case c.class == "read":
		return c.tryRead(ctx)
	case c.class == "logs" && c.node != nil:
		return c.tryWithoutLogs(ctx)
	case c.class == "logs":
		return c.tryLogs(ctx)
	case c.class == "send":
		return c.trySend(ctx)
	}
	return c.tryReceipt(ctx)
}

// newest is the chain's newest block, once the client knows it.
func (c *cell) newest(ctx context.Context) (protocol.L2Block, error) {
	n, err := c.bed.client.BlockNumber(ctx)
	if err != nil {
		return 0, err
	}
	return protocol.L2Block(n), c.knows(ctx, protocol.L2Block(n))
}

// tryRead reads a balance that has just changed.
func (c *cell) tryRead(ctx context.Context) error {
	to, amount := common.BigToAddress(big.NewInt(int64(1_000_000+c.n))), core.NewWei(7)
	if err := c.bed.Control.Fund(ctx, to, amount); err != nil {
		return err
	}
	at, err := c.newest(ctx)
	if err != nil {
		return err
	}
	got, err := c.pool.BalanceAt(ctx, to, at)
	if err == nil && got.Cmp(amount) != 0 {
		err = fmt.Errorf("the balance is %s, not %s", got, amount)
	}
	return err
}

// tryLogs looks for an event that has just happened, in more blocks than an
// endpoint may answer at once.
func (c *cell) tryLogs(ctx context.Context) error {
	to := common.BigToAddress(big.NewInt(int64(2_000_000 + c.n)))
	if err := c.bed.Control.FundLPT(ctx, to, core.NewLPT(5)); err != nil {
		return err
	}
	at, err := c.newest(ctx)
	if err != nil {
		return err
	}
	from := at - min(at, 30)
	logs, next, err := c.pool.Logs(ctx, from, at, endpoint.LogFilter{
		Addresses: []common.Address{c.bed.Info.Contracts["LivepeerToken"]},
		Topics: [][]common.Hash{{crypto.Keccak256Hash([]byte("Transfer(address,address,uint256)"))}, nil,
			{common.BytesToHash(to[:])}},
	})
	if err == nil && (len(logs) != 1 || next != at+1) {
		err = fmt.Errorf("%d logs up to block %d, not 1 up to %d", len(logs), next, at+1)
	}
	return err
}

// tryWithoutLogs has the node notice a change that an endpoint says nothing of.
func (c *cell) tryWithoutLogs(ctx context.Context) error {
	before := c.node.Chain.View().Balances.Token
	if err := c.bed.Control.FundLPT(ctx, c.account(), core.NewLPT(5)); err != nil {
		return err
	}
	return c.await(ctx, "the account's tokens", func() bool {
		return c.node.Chain.View().Balances.Token.Cmp(before.Add(core.NewLPT(5))) == 0
	})
}

// trySend has the node do something once.
func (c *cell) trySend(ctx context.Context) error {
	tx, err := c.node.Chain.Send(ctx, protocol.Approve{Amount: core.NewLPT(1)}, protocol.SendOptions{})
	if err != nil {
		return err
	}
	receipt, err := c.bed.client.TransactionReceipt(ctx, common.Hash(tx.Hash))
	if err != nil || receipt.Status != 1 {
		return fmt.Errorf("transaction %s is not on the chain: %w", tx.Hash, err)
	}
	mined, err := c.bed.client.NonceAt(ctx, c.account(), nil)
	pending, e := c.bed.client.PendingNonceAt(ctx, c.account())
	if err = errors.Join(err, e); err == nil && (mined != 1 || pending != 1) {
		err = fmt.Errorf("%d transactions are on the chain and %d in all, not 1", mined, pending)
	}
	return err
}

// tryReceipt asks for the receipt of a transaction that was just mined.
func (c *cell) tryReceipt(ctx context.Context) error {
	wallet := newLedger(c.bed.client, c.bed.Info, control.AccountKey(c.n))
	hash, err := wallet.write(ctx, wallet.key, 0, wallet.account, nil)
	if err != nil {
		return err
	}
	mined := func() bool {
		_, err := c.bed.client.TransactionReceipt(ctx, hash)
		return err == nil
	}
	if err := c.await(ctx, "a block with the transaction", mined); err != nil {
		return err
	}
	if _, err := c.newest(ctx); err != nil {
		return err
	}
	receipt, err := c.pool.TransactionReceipt(ctx, protocol.TxHash(hash))
	if err == nil && receipt.TxHash != hash {
		err = fmt.Errorf("the receipt is that of %s", receipt.TxHash)
	}
	return err
}
