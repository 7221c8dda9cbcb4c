package gateway

import (
	"context"
	"io"
	"os"

	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/airouting"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// ReadRouting reads the operator's file of names of models; "" has none. Errors are the fault
// RoutingFileInvalid.
func ReadRouting(path string) (*airouting.ModelRoutes, error) {
	if path == "" {
		return nil, nil
	}
	op := "read names of models from " + path
	f, err := os.Open(path)
	if err != nil {
		return nil, fault.Wrap(fault.RoutingFileInvalid, op, err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, airouting.MaxModelRoutesBytes+1))
	if err != nil {
		return nil, fault.Wrap(fault.RoutingFileInvalid, op, err)
	}
	table, err := airouting.ParseModelRoutes(text)
	if err != nil {
		return nil, &fault.Fault{Code: fault.RoutingFileInvalid, Op: op, Detail: err.Error(), Err: err}
	}
	return table, nil
}

// ExplainRoute says which orchestrators would get a request. The error is the fault that the request would get.
func (p *Part) ExplainRoute(q adminapi.RouteQuestion) (adminapi.RoutePlan, error) {
	return p.front.Explain(inference.Operation(q.Operation), q.Request)
}

// replaceRouting takes over the file of names of models. Requests that run keep their models.
func (p *Part) replaceRouting(_ context.Context, _, next *config.Config) (func(), error) {
	table, err := ReadRouting(next.Gateway.Routing)
	if err != nil {
		return nil, err
	}
	return func() { p.routes.Store(table) }, nil
}
