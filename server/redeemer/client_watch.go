package redeemer

import (
	"context"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/rpc"
)

const opFloat = "ask the redeemer for a max float"

// watch keeps a gateway's max float up to date until ctx ends.
func (c *Client) watch(ctx context.Context, api rpc.TicketRedeemerClient, e *watched) {
	pause := c.opt.Retry
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for {
		received, err := c.listen(ctx, api, e)
		if ctx.Err() != nil {
			return
		}
		c.opt.Log.Debug("max float not watched", "gateway", e.sender.String(), fault.Attr(err))
		c.lost(e, err)
		if received {
			pause = c.opt.Retry
		}
		timer.Reset(pause)
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		pause = min(2*pause, c.opt.RetryMost)
	}
}

// listen reads once and then receives every change, until the stream breaks. received: at least
// one value came.
func (c *Client) listen(ctx context.Context, api rpc.TicketRedeemerClient, e *watched) (received bool, err error) {
	if err := c.ask(ctx, api, e); err != nil {
		return false, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	var refreshing sync.WaitGroup
	defer refreshing.Wait()
	defer cancel(nil)
	stream, err := api.MonitorMaxFloat(ctx, &rpc.MaxFloatReq{Sender: e.sender[:]})
	if err != nil {
		return false, c.classifyRefusal(ctx, err, nil)
	}
	refreshing.Go(func() { c.refresh(ctx, cancel, api, e) })
	for {
		m, err := stream.Recv()
		if cause := context.Cause(ctx); err != nil && cause != nil {
			return received, cause // of the refreshing, or of the caller
		}
		if err != nil {
			return received, c.classifyRefusal(ctx, err, stream.Trailer())
		}
		value, err := rpc.FromWei(m.GetMaxFloat())
		if err != nil {
			return received, fault.Wrap(fault.MaxFloatUnknown, opFloat, err)
		}
		received = true
		c.learned(e, value, c.seen(e))
	}
}

// refresh reads the value regularly, because a silent stream may be dead. A missing answer ends
// the stream.
func (c *Client) refresh(ctx context.Context, cancel context.CancelCauseFunc, api rpc.TicketRedeemerClient,
	e *watched) {
	tick := time.NewTicker(c.opt.Refresh)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := c.ask(ctx, api, e); err != nil {
			cancel(err)
			return
		}
	}
}

// ask asks for the max float of now.
func (c *Client) ask(ctx context.Context, api rpc.TicketRedeemerClient, e *watched) error {
	limited, cancel := context.WithTimeout(ctx, c.opt.FirstAnswer)
	defer cancel()
	before := c.seen(e)
	var trailer metadata.MD
	m, err := api.MaxFloat(limited, &rpc.MaxFloatReq{Sender: e.sender[:]}, grpc.Trailer(&trailer))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := c.classifyRefusal(limited, err, trailer); err != nil {
		return err
	}
	value, err := rpc.FromWei(m.GetMaxFloat())
	if err != nil {
		return fault.Wrap(fault.MaxFloatUnknown, opFloat, err)
	}
	c.learned(e, value, before)
	return nil
}

// classifyRefusal turns a call's error into a fault, and records whether the redeemer answers.
func (c *Client) classifyRefusal(ctx context.Context, err error, trailer metadata.MD) error {
	err = asFault(ctx, fault.MaxFloatUnknown, opFloat, err, trailer)
	c.recordReachable(err)
	return err
}
