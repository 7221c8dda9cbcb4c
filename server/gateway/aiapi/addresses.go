package aiapi

import (
	"context"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/fetchurl"
	"github.com/tuttinode/tutti/core/pipeline"
)

// checkAddresses refuses a request that asks a model server to fetch a private network address, a
// file or the like. It resolves no names: the node that runs the model server decides what that
// server may fetch, and checks again.
func (x *relayedRequest) checkAddresses(ctx context.Context, contentType string, body []byte) error {
	const op = "check addresses in a request"
	if x.server.opt.PrivateURLs {
		return nil
	}
	var refused error
	err := pipeline.Addresses(x.route.capability, contentType, body, func(address string) error {
		refused = fetchurl.PublicHosts.Check(ctx, address, nil)
		return refused
	})
	switch {
	case refused != nil:
		return fault.New(fault.RequestURLRefused, op, refused.Error())
	case err != nil:
		return fault.New(fault.JobUnreadable, op, err.Error())
	}
	return nil
}
