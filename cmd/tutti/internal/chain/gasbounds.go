package chain

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/server/admin"
)

// GasBounds are the operator's bounds on the price of gas, until the next start.
type GasBounds struct {
	chain *Part
	// Taken is nil where no tickets are taken.
	Taken interface{ SetMinGasPrice(core.Wei) }
}

// NewGasBounds bounds the price of gas of c's transactions.
func NewGasBounds(c *Part) *GasBounds { return &GasBounds{chain: c} }

// GasPrices returns the price of the moment and the bounds.
func (g *GasBounds) GasPrices(ctx context.Context) (protocol.GasPrices, error) {
	prices := g.chain.Transactions.Prices()
	current, err := g.chain.Node.Endpoints.GasPrice(ctx)
	prices.Current = current
	return prices, err
}

// SetGasBounds changes what is not nil; 0 takes a bound away.
func (g *GasBounds) SetGasBounds(lowest, highest *core.Wei) error {
	now := g.chain.Transactions.Prices()
	if lowest != nil {
		now.Min = *lowest
	}
	if highest != nil {
		now.Max = *highest
	}
	if !now.Max.IsZero() && now.Min.Cmp(now.Max) > 0 {
		return fault.New(fault.AdminBadParam, "set the bounds of the gas price",
			now.Min.String()+" is more than "+now.Max.String())
	}
	g.chain.Transactions.SetMinGasPrice(now.Min)
	if g.Taken != nil {
		g.Taken.SetMinGasPrice(now.Min) // tickets are made for what redeeming them costs
	}
	g.chain.Transactions.SetMaxGasPrice(now.Max)
	return nil
}

// messages signs messages in the name of the account.
type messages struct{ c *Part }

// NewMessages signs with c's account.
func NewMessages(c *Part) admin.Signer { return messages{c} }

// SignMessage signs a personal message.
func (s messages) SignMessage(_ context.Context, message []byte) ([]byte, error) {
	return s.c.Signer.SignText(message)
}

// SignTypedData signs an EIP-712 document.
func (s messages) SignTypedData(_ context.Context, document []byte) ([]byte, error) {
	return s.c.Signer.SignTypedData(document)
}

// endpointList is the state of the chain's endpoints.
type endpointList struct{ c *Part }

// NewEndpointList lists c's endpoints.
func NewEndpointList(c *Part) endpointList { return endpointList{c} }

// Endpoints are as the pool classifies them.
func (e endpointList) Endpoints() []adminapi.Endpoint {
	out := []adminapi.Endpoint{}
	for _, s := range e.c.Node.Endpoints.Status().Endpoints {
		out = append(out, adminapi.Endpoint{
			Name: s.Name, State: string(s.State), Head: s.Head, Lag: s.Lag, ErrorRate: s.ErrorRate,
			LatencyMs: float64(s.Latency) / float64(time.Millisecond), Detail: s.Detail,
		})
	}
	return out
}
