package main

import (
	"context"
	"fmt"
	"math/big"
	"net"

	"github.com/tuttinode/tutti/cmd/tutti_demo/camera"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/server/livevideo"
)

// cameraPage is the page of live video while it is served.
type cameraPage struct {
	*camera.Page
	stop context.CancelFunc
	done chan struct{}
}

// openCamera serves the page.
func openCamera(ctx context.Context, n *node, c *chain) (*cameraPage, error) {
	page, err := camera.New(n.gateway, n.page, &parties{n, c})
	if err != nil {
		return nil, err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", n.page)
	if err != nil {
		return nil, fmt.Errorf("serve the camera's page: %w", err)
	}
	ctx, stop := context.WithCancel(ctx)
	p := &cameraPage{Page: page, stop: stop, done: make(chan struct{})}
	go func() {
		defer close(p.done)
		_ = page.Serve(ctx, l) // a page that is gone shows it
	}()
	return p, nil
}

func (p *cameraPage) close() {
	p.stop()
	<-p.done
}

// parties are the orchestrators of live video. They implement camera.Parties.
type parties struct {
	n *node
	// c is nil off-chain.
	c *chain
}

// Orchestrators lists both, with what the gateway paid them.
func (p *parties) Orchestrators(ctx context.Context) ([]camera.Orchestrator, error) {
	var spending adminapi.Spending
	if p.c != nil {
		if err := ask(ctx, p.n.gatewayAdmin, adminapi.PathSpending, &spending); err != nil {
			return nil, err
		}
	}
	out := []camera.Orchestrator{p.describe(p.n.first), p.describe(p.n.second)}
	if p.c != nil {
		for i, account := range []core.Address{p.c.orchestrator, p.c.second} {
			if err := addPaid(&out[i], account, spending.Rows); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

func (p *parties) describe(o *orchestrator) camera.Orchestrator {
	return camera.Orchestrator{URL: o.uri(), Running: o.current() != nil && o.ended() == nil, Paid: "0"}
}

// addPaid adds up the tickets for live video that an account was sent.
func addPaid(o *camera.Orchestrator, account core.Address, rows []adminapi.SpendingRow) error {
	sum := new(big.Rat)
	for _, row := range rows {
		if row.Recipient != account || row.Model != livevideo.SampleModel {
			continue
		}
		value, ok := new(big.Rat).SetString(row.Value)
		if !ok {
			return fmt.Errorf("%w: the gateway says that it paid %q", errWrong, row.Value)
		}
		o.Tickets += row.Tickets
		sum.Add(sum, value)
	}
	o.Paid = new(big.Int).Quo(sum.Num(), sum.Denom()).String()
	return nil
}

// Kill kills the orchestrator with an address, or its runner.
func (p *parties) Kill(uri string, runner bool) error {
	for _, o := range []*orchestrator{p.n.first, p.n.second} {
		switch {
		case o.uri() != uri:
		case runner:
			return o.killRunner()
		default:
			return o.kill()
		}
	}
	return fmt.Errorf("%s is no orchestrator of the demonstration", uri)
}
