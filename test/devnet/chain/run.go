package chain

import (
	"context"
	"time"

	ethcore "github.com/ethereum/go-ethereum/core"
)

// Run makes blocks until ctx ends: when a transaction arrives, every block time,
// and when the L1 block advances.
func (c *Chain) Run(ctx context.Context) error {
	arrived := make(chan ethcore.NewTxsEvent, 256)
	sub := c.eth.TxPool().SubscribeTransactions(arrived, true)
	defer sub.Unsubscribe()
	if err := c.onArrival(); err != nil { // what came before
		return err
	}
	var l1, l2 period
	defer l1.stop()
	defer l2.stop()
	for {
		c.mu.Lock()
		l1.set(c.l1Time)
		l2.set(c.blockTime)
		c.mu.Unlock()
		var err error
		select {
		case <-ctx.Done():
			return nil
		case <-c.changed:
		case <-arrived:
			err = c.onArrival()
		case <-l2.ticks():
			_, err = c.Mine(1)
		case <-l1.ticks():
			_, err = c.AdvanceL1(1)
		}
		if err != nil && ctx.Err() == nil {
			return err
		}
	}
}

// onArrival mines what has arrived. What it cannot mine waits for a next block.
func (c *Chain) onArrival() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.automine {
		return nil
	}
	if executable, _ := c.eth.TxPool().Stats(); executable == 0 {
		return nil
	}
	_, err := c.make(plan{pool: true})
	return err
}

// period is a ticker whose interval may change.
type period struct {
	every  time.Duration
	ticker *time.Ticker
}

func (p *period) set(every time.Duration) {
	if p.every == every {
		return
	}
	p.stop()
	if p.every = every; every > 0 {
		p.ticker = time.NewTicker(every)
	}
}

func (p *period) ticks() <-chan time.Time {
	if p.ticker == nil {
		return nil
	}
	return p.ticker.C
}

func (p *period) stop() {
	if p.ticker != nil {
		p.ticker.Stop()
		p.ticker = nil
	}
}
