package gateway

import (
	"crypto/rand"
	"fmt"
	"math/big"
	"path/filepath"
	"time"

	"github.com/tuttinode/tutti/server/gateway/batch"
	"github.com/tuttinode/tutti/server/metrics"
)

// newBatches makes the files and batches of -aiBatchStorage, nil for none.
func (p *Part) newBatches() (*batch.Server, error) {
	b := &p.Config.Batches
	if b.Storage == 0 {
		return nil, nil
	}
	s, err := batch.New(batch.Options{
		Dir: filepath.Join(p.Config.Storage.DataDir, "batches"), Keys: p.keys, MaxPrice: p.batchMaxPrice,
		Limits: batch.Limits{Storage: int64(b.Storage), KeyStorage: int64(b.KeyStorage), File: int64(b.File),
			Line: int64(p.Config.AI.BodyLimit), Concurrency: b.Concurrency},
		Log: p.Log, Now: time.Now, Rand: rand.Reader,
	})
	if err != nil || p.Metrics == nil {
		return s, err
	}
	if err := p.Metrics.WatchBatches(func() metrics.Batches { return metrics.Batches(s.Stats()) }); err != nil {
		return nil, fmt.Errorf("register metrics of batches: %w", err)
	}
	return s, nil
}

// batchMaxPrice returns the most that a request of a batch may cost, in wei per unit; nil is no bound of its own. While
// the rate of its currency is not known it is 0, so that nothing is bought at an unknown price.
func (p *Part) batchMaxPrice() *big.Rat {
	most := p.Config.BatchMaxPrice()
	if !most.IsSet() || most.PerPixel().Sign() == 0 {
		return nil
	}
	if wei, known := p.rates.Wei(most); known {
		return wei
	}
	return new(big.Rat)
}
