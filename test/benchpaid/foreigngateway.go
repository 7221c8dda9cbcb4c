package main

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/crypto"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/server/rpc"
)

// foreignGateway pays and asks an orchestrator as the network's gateways do: it gets
// parameters once, makes tickets of them for all its clients, and asks for others
// only when these are expired or have one block left.
type foreignGateway struct {
	payer  *payer
	target string
	units  int64
	// l1 is the newest layer-1 block that it knows.
	l1     atomic.Uint64
	grpc   *grpc.ClientConn
	http   *http.Client
	wallet wallet
	asking sync.Mutex

	mu     sync.Mutex
	counts counts
}

// counts is what became of requests and tickets.
type counts struct {
	served, tickets, sent int
	// nonces and expired are answers that refused a ticket; failed are requests that
	// were given up, by text.
	nonces, expired int
	failed          map[string]int
	// worth is the value of the tickets of requests that were served.
	worth big.Rat
}

func newForeignGateway(payer *payer, target string, units int64) (*foreignGateway, error) {
	conn, err := grpc.NewClient(target,
		grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{InsecureSkipVerify: true})))
	g := &foreignGateway{payer: payer, target: target, units: units, grpc: conn, http: newClient()}
	g.counts.failed = map[string]int{}
	return g, err
}

func (g *foreignGateway) close() error {
	g.http.CloseIdleConnections()
	return g.grpc.Close()
}

const llm = 33

// capabilities are those of every node and the model.
func capabilities() *rpc.Capabilities {
	c := &rpc.Capabilities{
		Bitstring: []uint64{0x04005fff | 1<<llm}, Capacities: map[uint32]uint32{}, Version: "0.8.8",
		Constraints: &rpc.Capabilities_Constraints{PerCapability: map[uint32]*rpc.Capabilities_CapabilityConstraints{
			llm: {Models: map[string]*rpc.Capabilities_CapabilityConstraints_ModelConstraint{model: {}}},
		}},
	}
	for i := range uint32(64) {
		if c.Bitstring[0]>>i&1 == 1 {
			c.Capacities[i] = 1
		}
	}
	return c
}

// refresh gets parameters, unless another client has since old.
func (g *foreignGateway) refresh(ctx context.Context, old *rpc.OrchestratorInfo) error {
	g.asking.Lock()
	defer g.asking.Unlock()
	if g.wallet.current() != old {
		return nil
	}
	sig, err := g.payer.signHash([]byte(g.payer.address.Hex()))
	if err != nil {
		return err
	}
	info, err := rpc.NewOrchestratorClient(g.grpc).GetOrchestrator(ctx, &rpc.OrchestratorRequest{
		Address: g.payer.address[:], Sig: sig, Capabilities: capabilities(),
	})
	if err != nil {
		return err
	}
	if info.GetTicketParams() == nil || info.GetPriceInfo().GetPixelsPerUnit() <= 0 {
		return errors.New("an offer without ticket parameters or price")
	}
	g.wallet.fill(info)
	return nil
}

// stale says whether parameters have at most one block left.
func (g *foreignGateway) stale(info *rpc.OrchestratorInfo) bool {
	return new(big.Int).SetBytes(info.GetTicketParams().GetExpirationBlock()).Uint64() <= g.l1.Load()+1
}

// The network's gateways try a request again that often and that long, and the same
// orchestrator after expired parameters three times.
const (
	maxTries, maxExpired = 20, 3
	retryFor             = 2 * time.Second
)

// ask has one request served, by the network's rules for trying again. There is one
// orchestrator, so where another would be asked the request has failed.
func (g *foreignGateway) ask(ctx context.Context) error {
	begin, expired := time.Now(), 0
	for range maxTries {
		info := g.wallet.current()
		if g.stale(info) {
			if err := g.refresh(ctx, info); err != nil {
				return g.fail(err.Error())
			}
		}
		s := g.wallet.take(g.units)
		text, err := g.try(ctx, s)
		g.record(s, text, err)
		switch lower := strings.ToLower(text); {
		case err != nil:
			return g.fail(err.Error())
		case text == "":
			g.wallet.served(s, g.units)
			return nil
		case strings.Contains(lower, "ticketparams expired") && expired < maxExpired && time.Since(begin) < retryFor:
			expired++
			if err := g.refresh(ctx, s.info); err != nil {
				return g.fail(err.Error())
			}
		default:
			return g.fail(text)
		}
	}
	return g.fail("tried too often")
}

func (g *foreignGateway) record(s spending, text string, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.counts.sent++
	g.counts.tickets += s.tickets
	switch lower := strings.ToLower(text); {
	case err != nil:
	case text == "":
		g.counts.served++
		g.counts.worth.Add(&g.counts.worth, s.worth)
	case strings.Contains(lower, "invalid ticket sendernonce"):
		g.counts.nonces++
	case strings.Contains(lower, "ticketparams expired"):
		g.counts.expired++
	}
}

func (g *foreignGateway) fail(text string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.counts.failed[text]++
	return errors.New(text)
}

// try sends a request once. text is what was answered instead of 200.
func (g *foreignGateway) try(ctx context.Context, s spending) (text string, err error) {
	payment, err := g.payer.payment(s.info, s.first, s.tickets)
	if err != nil {
		return "", err
	}
	segment, err := g.segment(s.info)
	if err != nil {
		return "", err
	}
	body := fmt.Sprintf(`{"model":%q,"messages":[{"role":"user","content":"Count."}],"max_tokens":%d}`, model, g.units)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.info.GetTranscoder()+"/llm", strings.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Livepeer-AI-Worker-1.0")
	for name, m := range map[string]proto.Message{"Livepeer-Payment": payment, "Livepeer-Segment": segment} {
		b, err := proto.Marshal(m)
		if err != nil {
			return "", err
		}
		req.Header.Set(name, base64.StdEncoding.EncodeToString(b))
	}
	resp, err := g.http.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		text = fmt.Sprintf("returned %d: %s", resp.StatusCode, strings.TrimSpace(string(answer)))
	}
	return text, err
}

// segment is the signed description of an AI job.
func (g *foreignGateway) segment(info *rpc.OrchestratorInfo) (*rpc.SegData, error) {
	manifest := fmt.Appendf(nil, "%d_%s", llm, model)
	hash := crypto.Keccak256(nil)
	flat := append(append(append([]byte(nil), manifest...), make([]byte, 32)...), hash...)
	sig, err := g.payer.signHash(flat)
	return &rpc.SegData{
		ManifestId: manifest, Hash: hash, Profiles: []byte("invalid"), Sig: sig,
		Capabilities: capabilities(), AuthToken: info.GetAuthToken(),
	}, err
}
