package remotesigner

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"math/big"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pricing"
	"github.com/tuttinode/tutti/server/rpc"
)

// Bounds of looking for orchestrators.
const (
	findEvery    = 25 * time.Minute
	findRetry    = 15 * time.Second
	discoverTime = 2 * time.Second
	maxDiscovery = 1 << 20
	// maxListed bounds the orchestrators, maxRunners the runners of one.
	maxListed, maxRunners = 256, 256
	askAtOnce             = 16
)

// anyCapability is our own name for every orchestrator that answers, also those that only transcode.
const anyCapability = "*"

// FinderOptions make a Finder. List, Survey, Caps and Log must be set.
type FinderOptions struct {
	// List returns the service URIs to ask.
	List func(ctx context.Context) ([]string, error)
	// Survey asks one for its terms.
	Survey func(ctx context.Context, uri string) (*rpc.OrchestratorInfo, error)
	Caps   Caps
	// Client fetches /discovery; nil is one that verifies certificates, as the network's signers do.
	Client *http.Client
	Log    *slog.Logger
}

// Finder knows which orchestrators callers may use. It is a lifecycle component.
type Finder struct {
	opt  FinderOptions
	list atomic.Pointer[[]Listed]
}

// NewFinder makes a finder; it asks nothing until Run.
func NewFinder(opt FinderOptions) *Finder {
	if opt.Client == nil {
		opt.Client = &http.Client{Timeout: discoverTime,
			Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, MaxResponseHeaderBytes: maxHeader,
				DisableKeepAlives: true},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	return &Finder{opt: opt}
}

// Name returns the component's name.
func (f *Finder) Name() string { return "orchestrators for callers" }

// Run asks all orchestrators from time to time until ctx ends.
func (f *Finder) Run(ctx context.Context, ready func()) error {
	ready()
	for {
		wait := findEvery
		if list, err := f.find(ctx); err != nil || len(list) == 0 && f.list.Load() == nil {
			f.opt.Log.Debug("orchestrators for callers not found yet", "err", err)
			wait = findRetry
		} else {
			f.list.Store(&list)
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil
		}
	}
}

// Orchestrators returns those with any of some capabilities, all that offer one without; false until some were found.
func (f *Finder) Orchestrators(_ context.Context, capabilities []string) ([]Listed, bool) {
	all := f.list.Load()
	if all == nil {
		return nil, false
	}
	var out []Listed
	for _, o := range *all {
		wanted := slices.Contains(capabilities, anyCapability) || len(capabilities) == 0 && len(o.Capabilities) > 0 ||
			slices.ContainsFunc(o.Capabilities, func(c string) bool { return slices.Contains(capabilities, c) })
		if wanted {
			out = append(out, o)
		}
	}
	return out, true
}

// find asks all orchestrators once.
func (f *Finder) find(ctx context.Context) ([]Listed, error) {
	uris, err := f.opt.List(ctx)
	if err != nil && len(uris) == 0 {
		return nil, err
	}
	uris = uris[:min(len(uris), maxListed)]
	found, slots := make([]*Listed, len(uris)), make(chan struct{}, askAtOnce)
	var wg sync.WaitGroup
	for i, uri := range uris {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			found[i] = f.ask(ctx, strings.TrimSuffix(uri, "/"))
		})
	}
	wg.Wait()
	var out []Listed
	seen := make(map[string]bool)
	for _, one := range found {
		if one != nil && !seen[one.Address] {
			seen[one.Address] = true
			out = append(out, *one)
		}
	}
	return out, ctx.Err()
}

// ask asks one orchestrator; nil if it does not answer.
func (f *Finder) ask(ctx context.Context, uri string) *Listed {
	asked, cancel := context.WithTimeout(ctx, discoverTime)
	defer cancel()
	out := &Listed{Address: uri, Score: 1, Capabilities: []string{}}
	info, err := f.opt.Survey(asked, uri)
	if err == nil {
		out.Capabilities = append(out.Capabilities, f.affordable(info)...)
	}
	runners := f.runners(ctx, uri)
	if err != nil && len(runners) == 0 {
		f.opt.Log.Debug("orchestrator left out for callers", "orchestrator", uri, "err", err)
		return nil
	}
	for _, r := range runners {
		out.Runners = append(out.Runners, r.raw)
		if !slices.Contains(out.Capabilities, r.app) {
			out.Capabilities = append(out.Capabilities, r.app)
		}
	}
	return out
}

// affordable lists an orchestrator's models, "pipeline/model", whose price is within the operator's highest.
func (f *Finder) affordable(info *rpc.OrchestratorInfo) (out []string) {
	prices := make(map[inference.Model]*big.Rat)
	for _, p := range info.GetCapabilitiesPrices() {
		if price, ok := rpc.FromPriceInfo(p); ok {
			prices[inference.Model{Capability: capability.ID(p.GetCapability()), ID: p.GetConstraint()}] = price.Rat()
		}
	}
	general, priced := rpc.FromPriceInfo(info.GetPriceInfo())
	for id, models := range info.GetCapabilities().Capability().Constraints.PerCapability {
		for name := range models {
			m := inference.Model{Capability: id, ID: name}
			price := prices[m]
			if price == nil && priced {
				price = general.Rat()
			}
			most := orHighest(f.opt.Caps.MaxModel(m), f.opt.Caps)
			if most == nil || price != nil && !pricing.AbovePriceCap(price, most) {
				out = append(out, id.Pipeline()+"/"+name)
			}
		}
	}
	slices.Sort(out)
	return out
}

// runner is a live runner as its orchestrator lists it.
type runner struct {
	app string
	raw json.RawMessage
}

// runners reads an orchestrator's /discovery: what has an address, an app, and a price within the operator's highest.
func (f *Finder) runners(ctx context.Context, uri string) []runner {
	ctx, cancel := context.WithTimeout(ctx, discoverTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, uri+"/discovery", nil)
	if err != nil {
		return nil
	}
	resp, err := f.opt.Client.Do(req)
	if err != nil {
		return nil
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxDiscovery+1))
	if err != nil || len(text) > maxDiscovery || resp.StatusCode != http.StatusOK {
		return nil
	}
	return readRunners(text, orHighest(f.opt.Caps.MaxTranscoding(), f.opt.Caps))
}

// readRunners reads the answer of /discovery.
func readRunners(text []byte, most *big.Rat) (out []runner) {
	var all []struct {
		Runners []json.RawMessage `json:"runners"`
	}
	if json.Unmarshal(text, &all) != nil {
		return nil
	}
	seen := make(map[string]bool)
	for _, o := range all {
		for _, raw := range o.Runners {
			var r struct {
				URL   string `json:"url"`
				App   string `json:"app"`
				Price struct {
					Price    json.Number `json:"price"`
					Currency string      `json:"currency"`
					Unit     string      `json:"unit"`
				} `json:"price_info"`
			}
			if json.Unmarshal(raw, &r) != nil || r.URL == "" || r.App == "" || seen[r.URL] || len(out) >= maxRunners ||
				r.Price.Currency != "wei" {
				continue
			}
			price, ok := new(big.Int).SetString(r.Price.Price.String(), 10)
			known := r.Price.Unit == "seconds" || r.Price.Unit == "720p-pixel-seconds" || r.Price.Unit == "fixed"
			if !ok || price.Sign() <= 0 || !known || pricing.AbovePriceCap(new(big.Rat).SetInt(price), most) {
				continue
			}
			seen[r.URL] = true
			out = append(out, runner{r.App, raw})
		}
	}
	return out
}
