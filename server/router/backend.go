package router

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/keepalive"

	"github.com/tuttinode/tutti/server/admission"
	"github.com/tuttinode/tutti/server/rpc"
)

// Bounds of what an orchestrator may answer.
const (
	maxOffer  = 4 << 20
	maxStatus = 1 << 20
	// maxHeaders bounds the header of an answer.
	maxHeaders = 64 << 10
)

// backend is one orchestrator.
type backend struct {
	addr string
	conn *grpc.ClientConn
	api  rpc.OrchestratorClient

	calls *admission.Shares
	// signed: its last offer had payment terms, so it requires signatures.
	signed atomic.Bool
	// missed and answers count the calls without and with an answer since the last check.
	missed, answers atomic.Int64

	mu     sync.Mutex
	status statusPage
	// recentOffers are the times of the offers within offerTime, oldest first.
	recentOffers []time.Time
}

// statusPage is the part of a node's /status that the router uses; see docs/status.md. Of
// nodes without it only their offers count.
type statusPage struct {
	State     string `json:"state"`
	Pipelines []struct {
		Name     string `json:"name"`
		Capacity int    `json:"capacity"`
		Use      string `json:"use"`
	} `json:"pipelines"`
}

func dial(addr string) (*backend, error) {
	// Orchestrators have self-signed certificates, and no secrets are sent.
	creds := credentials.NewTLS(&tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12})
	conn, err := grpc.NewClient("passthrough:///"+addr,
		grpc.WithTransportCredentials(creds),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 30 * time.Second, Timeout: 5 * time.Second}),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxOffer)), grpc.WithMaxHeaderListSize(maxHeaders),
		grpc.WithDisableServiceConfig(), grpc.WithNoProxy())
	if err != nil {
		return nil, fmt.Errorf("orchestrator %s: %w", addr, err)
	}
	return &backend{addr: addr, conn: conn, api: rpc.NewOrchestratorClient(conn),
		calls: admission.NewShares(freeCalls, maxCalls)}, nil
}

// poll reads the orchestrator's status, and keeps the last one if it cannot.
func (b *backend) poll(ctx context.Context, client *http.Client) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+b.addr+"/status", nil)
	if err != nil {
		return err
	}
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	var s statusPage
	if res.StatusCode == http.StatusOK && json.NewDecoder(io.LimitReader(res.Body, maxStatus)).Decode(&s) == nil {
		b.mu.Lock()
		b.status = s
		b.mu.Unlock()
	}
	return nil
}

// recordOffer records that the orchestrator's offer was returned to a gateway.
func (b *backend) recordOffer(now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.recentOffers = append(b.recentOffers, now)
}

// load returns the orchestrator's load with one kind of work, about 0 to 1: that of its status,
// and the recent offers.
func (b *backend) load(pipeline string, now time.Time) float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	keep := 0
	for keep < len(b.recentOffers) && now.Sub(b.recentOffers[keep]) >= offerTime {
		keep++
	}
	b.recentOffers = b.recentOffers[keep:]
	use, capacity := 0.5, 1
	for _, p := range b.status.Pipelines {
		if p.Name == pipeline {
			use, capacity = utilization(p.Use), max(1, p.Capacity)
		}
	}
	return use + float64(len(b.recentOffers))/float64(capacity)
}

// utilization maps the words of /status to the middle of their ranges.
func utilization(use string) float64 {
	switch use {
	case "idle":
		return 0
	case "low":
		return 0.25
	case "high":
		return 0.75
	case "full":
		return 1
	}
	return 0.5
}
