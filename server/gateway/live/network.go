package live

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"math/big"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/core/videorouting"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// Upstream finds orchestrators over the network's protocol. All fields but MinVersion and Blocked must be set.
type Upstream struct {
	Client *upstream.Client
	// Orchestrators lists service addresses.
	Orchestrators func(ctx context.Context) ([]string, error)
	// Version is this gateway's version as orchestrators see it, MinVersion the lowest accepted one.
	Version, MinVersion string
	Blocked             []core.Address
	// Interval is how often streams are paid for.
	Interval time.Duration
	Now      func() time.Time
	Log      *slog.Logger
}

// Find asks all orchestrators. Those within the price limits come first, of these the ones with an idle runner, then in
// order of their answers.
func (u *Upstream) Find(ctx context.Context, name string) ([]Orchestrator, error) {
	uris, err := u.Orchestrators(ctx)
	if len(uris) == 0 {
		return nil, errors.Join(errors.New("no orchestrators are known"), err)
	}
	model := inference.Model{Capability: capability.LiveVideoToVideo, ID: name}
	wants := upstream.JobWants(model, u.Version, u.MinVersion, "")
	wants.Blocked = u.Blocked
	var mu sync.Mutex
	var found []*offer
	// Answers may come after the end of the wait: they are too late.
	_, errs := u.Client.Discover(ctx, uris, &wants, videorouting.DiscoveryWait{}, func(f upstream.Found) bool {
		if f.Err != nil {
			return false
		}
		terms, err := u.Client.Terms(ctx, f, model, &wants)
		if err != nil {
			return false
		}
		mu.Lock()
		defer mu.Unlock()
		found = append(found, &offer{u, u.Client, terms})
		return true
	})
	mu.Lock()
	found = slices.Clone(found)
	mu.Unlock()
	slices.SortStableFunc(found, func(a, b *offer) int {
		return cmp.Or(Cheaper(a.terms.Expensive(), b.terms.Expensive()), cmp.Compare(b.idle(), a.idle()))
	})
	out := make([]Orchestrator, len(found))
	for i, o := range found {
		out[i] = o
	}
	if len(out) == 0 {
		return nil, errors.Join(errs...)
	}
	return out, nil
}

// offer is an orchestrator's offer of a model.
type offer struct {
	u      *Upstream
	client *upstream.Client
	terms  *upstream.Terms
}

// Cheaper orders orchestrators by whether they are above the price limits: such ones are used where there is no other.
func Cheaper(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// idle is 1 for an orchestrator with an idle runner.
func (o *offer) idle() int {
	if m := o.terms.Model; m.Warm && m.Capacity > m.InUse {
		return 1
	}
	return 0
}

// URI is the orchestrator's service address.
func (o *offer) URI() string { return o.terms.Offer.URI }

// Account is its address on the chain.
func (o *offer) Account() string { return o.terms.Offer.Address.String() }

// Price is what a pixel costs, in wei; nil is free.
func (o *offer) Price() *big.Rat { return o.terms.Price }

// Start sends the request that begins a stream, with the payment for its begin.
func (o *offer) Start(ctx context.Context, client string, request []byte) ([]byte, Paid, error) {
	p := &payments{Prepaid: Prepaid{Rate: orchestrate.PixelsPerSecond, Now: o.u.Now, Begun: o.u.Now()}, offer: o,
		client: client, interval: o.u.Interval, ahead: aheadNetwork, log: o.u.Log}
	if o.terms.Node != "" {
		p.ahead = max(aheadOwn, 2*p.interval)
	}
	units := int64(0)
	if o.terms.Paid() {
		units = p.Units(p.ahead)
	}
	status, data, paid, err := o.client.StartLive(ctx, o.terms, client, units, request)
	if err != nil {
		return nil, nil, err
	}
	if status != http.StatusOK {
		refused := &RefusedError{Status: status, Text: strings.TrimSpace(string(data[:min(len(data), 200)]))}
		return nil, nil, upstream.Forgone(refused, paid)
	}
	if units == 0 {
		return data, nil, nil
	}
	p.Add(paid, units)
	return data, p, nil
}
