package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// selfCheck asks the node's own public address whether it answers, as a gateway
// would reach it, until it does. A node behind a router that does not loop back
// cannot see itself and still be seen by others, so this is a condition and never
// ends the node.
type selfCheck struct {
	uri   string
	board *health.Board
	log   *slog.Logger
}

const (
	selfCheckDelay = 2 * time.Second
	selfCheckAgain = 5 * time.Minute
)

// Name is the component's name.
func (*selfCheck) Name() string { return "reachability check" }

// Run asks until the node was reached or ctx ends.
func (s *selfCheck) Run(ctx context.Context, ready func()) error {
	ready()
	timer := time.NewTimer(selfCheckDelay)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
		}
		err := s.ask(ctx)
		if ctx.Err() != nil {
			return nil
		}
		s.board.Report(health.Key{Code: fault.PortClosed}, err)
		if err == nil {
			<-ctx.Done()
			return nil
		}
		timer.Reset(selfCheckAgain)
	}
}

// ask is one attempt. The error is the fault PortClosed.
func (s *selfCheck) ask(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.uri+"/healthz", nil)
	if err != nil {
		return fault.Wrap(fault.PortClosed, "reach "+s.uri, err)
	}
	client := &http.Client{Transport: &http.Transport{
		// The network's nodes sign their own certificates; this asks whether the
		// port is open, not who is there.
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true},
		DisableKeepAlives: true,
	}}
	resp, err := client.Do(req)
	if err != nil {
		return &fault.Fault{Code: fault.PortClosed, Op: "reach the node through its public address", Detail: s.uri, Err: err}
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fault.New(fault.PortClosed, "reach the node through its public address", fmt.Sprintf("%s answered %s", s.uri, resp.Status))
	}
	return nil
}
