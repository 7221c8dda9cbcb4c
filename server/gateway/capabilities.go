package gateway

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/server/gateway/upstream"
	"github.com/tuttinode/tutti/server/rpc"
)

// surveyFresh is how long a survey's answers are reused, so that frequent page requests do not make
// the gateway call orchestrators as often.
const surveyFresh = time.Minute

// NetworkCapabilities is what the orchestrators that this gateway may use offer, in the
// existing node's form.
type NetworkCapabilities struct {
	// Names are those of all capabilities, by their number.
	Names         map[string]string     `json:"capabilities_names"`
	Orchestrators []NetworkOrchestrator `json:"orchestrators"`
}

// NetworkOrchestrator is one orchestrator's own description.
type NetworkOrchestrator struct {
	// Address is the account that is paid, LocalAddress the one that signs; on the chain they are
	// the same for most. Both are empty off-chain.
	Address            string                     `json:"address"`
	LocalAddress       string                     `json:"local_address"`
	URI                string                     `json:"orch_uri"`
	Capabilities       *rpc.Capabilities          `json:"capabilities"`
	PriceInfo          *rpc.PriceInfo             `json:"price_info"`
	CapabilitiesPrices []*rpc.PriceInfo           `json:"capabilities_prices"`
	Hardware           []*rpc.HardwareInformation `json:"hardware"`
}

// survey holds the last answers of the orchestrators.
type survey struct {
	mu    sync.Mutex // held during a survey
	at    time.Time
	found []NetworkOrchestrator
}

// Capabilities asks the orchestrators what they offer, maxAsked at once and at most once a minute.
// Those that do not answer are left out.
func (g *Gateway) Capabilities(ctx context.Context) NetworkCapabilities {
	out := NetworkCapabilities{Names: map[string]string{}}
	for id, name := range capability.Names() {
		out.Names[strconv.Itoa(int(id))] = name
	}
	s := &g.survey
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := g.opt.Now(); s.at.IsZero() || now.Sub(s.at) >= surveyFresh {
		found := g.surveyAll(ctx)
		if ctx.Err() == nil {
			s.at, s.found = now, found
		}
	}
	out.Orchestrators = s.found
	if out.Orchestrators == nil {
		out.Orchestrators = []NetworkOrchestrator{}
	}
	return out
}

func (g *Gateway) surveyAll(ctx context.Context) []NetworkOrchestrator {
	uris, _ := g.orchestrators.list(ctx) // an old list will do
	var all sync.WaitGroup
	var mu sync.Mutex
	found := map[string]NetworkOrchestrator{}
	slots := make(chan struct{}, maxAsked)
	for _, uri := range uris {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			bounded, cancel := context.WithTimeout(ctx, askTimeout)
			defer cancel()
			info, err := g.client.Survey(bounded, uri)
			if err != nil {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			found[uri] = networkOrchestrator(uri, info)
		})
	}
	all.Wait()
	var out []NetworkOrchestrator
	for _, uri := range slices.Sorted(maps.Keys(found)) {
		out = append(out, found[uri])
	}
	return out
}

func networkOrchestrator(asked string, info upstream.Info) NetworkOrchestrator {
	out := NetworkOrchestrator{
		Address: addressText(info.GetTicketParams().GetRecipient()), LocalAddress: addressText(info.GetAddress()),
		URI: asked, Capabilities: info.GetCapabilities(), PriceInfo: info.GetPriceInfo(),
		CapabilitiesPrices: info.GetCapabilitiesPrices(), Hardware: info.GetHardware(),
	}
	if out.Address == "" {
		out.Address = out.LocalAddress
	}
	return out
}

// addressText formats an address, "" for invalid bytes.
func addressText(b []byte) string {
	if len(b) != common.AddressLength || common.BytesToAddress(b) == (common.Address{}) {
		return ""
	}
	return common.BytesToAddress(b).Hex()
}
