package aiapi

import (
	"context"
	"errors"
	"math/big"
	"net/http"
	"sync"

	"github.com/tuttinode/tutti/core/airouting"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/pricing"
)

// Background says that a request comes from a batch: it gets only the slots of a model's queue for
// which no other request waits, and may cost less.
type Background struct {
	// MaxPrice is in wei per unit; nil bounds nothing beyond what holds for every request.
	MaxPrice *big.Rat
	// Stop ends the wait for a slot. A request that has one goes on.
	Stop <-chan struct{}
}

// backgroundKey is the context key of a *Background.
type backgroundKey struct{}

// InBackground makes a request one of a batch. Only the gateway itself calls it: no header does.
func InBackground(r *http.Request, b *Background) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), backgroundKey{}, b))
}

// backgroundOf returns nil for a request of a client that waits.
func backgroundOf(ctx context.Context) *Background {
	b, _ := ctx.Value(backgroundKey{}).(*Background)
	return b
}

// bound returns a request's preferences with the bound of batches on prices.
func (b *Background) bound(p *airouting.Preferences) *airouting.Preferences {
	if b == nil || b.MaxPrice == nil {
		return p
	}
	out := airouting.Preferences{}
	if p != nil {
		out = *p
	}
	out.MaxPrice = pricing.LowestCap(out.MaxPrice, b.MaxPrice)
	return &out
}

// explain returns the fault of a request that every orchestrator asks more for than batches pay. They
// may ask for less later.
func (b *Background) explain(err error, asked *airouting.Preferences) error {
	if b == nil || asked == nil || asked.MaxPrice != b.MaxPrice || !errors.Is(err, airouting.ErrAbovePrice) {
		return err
	}
	return fault.New(fault.PriceTooHigh, "find an orchestrator", "all ask for more than requests of batches may cost")
}

// waiting returns the context of the wait for a slot, and its end.
func (b *Background) waiting(ctx context.Context) (context.Context, func()) {
	if b == nil {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	admitted := make(chan struct{})
	var ended sync.WaitGroup
	ended.Go(func() {
		select {
		case <-b.Stop: // nil where nothing stops it
			cancel()
		case <-admitted:
		}
	})
	return ctx, func() {
		close(admitted)
		ended.Wait()
		cancel()
	}
}
