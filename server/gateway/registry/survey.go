package registry

import (
	"context"
	"math/big"
	"slices"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

const (
	// surveyTimeout bounds one call; maxSurveys bounds concurrent ones.
	surveyTimeout = 3 * time.Second
	maxSurveys    = 32
)

// survey asks the endpoints that are due for their terms, and then the extra nodes that they named.
func (d *Directory) survey(ctx context.Context) {
	for range 2 {
		d.askAll(ctx, d.due())
	}
}

// due returns the endpoints that were never asked or not for SurveyEvery.
func (d *Directory) due() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.opt.Now()
	var out []string
	for uri, p := range d.endpoints {
		if p.asked.IsZero() || now.Sub(p.asked) >= d.opt.SurveyEvery {
			p.asked = now
			out = append(out, uri)
		}
	}
	return out
}

// untilDue returns the time until the next endpoint is due.
func (d *Directory) untilDue() time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	wait, now := d.opt.SurveyEvery, d.opt.Now()
	for _, p := range d.endpoints {
		wait = min(wait, max(0, p.asked.Add(d.opt.SurveyEvery).Sub(now)))
	}
	return wait
}

func (d *Directory) askAll(ctx context.Context, uris []string) {
	var wg sync.WaitGroup
	slots := make(chan struct{}, maxSurveys)
	for _, uri := range uris {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			bounded, cancel := context.WithTimeout(ctx, surveyTimeout)
			defer cancel()
			info, err := d.opt.Survey(bounded, uri)
			if ctx.Err() != nil {
				return
			}
			if err == nil {
				err = d.CheckTerms(info)
			}
			if err == nil {
				_, err = d.OwnerOf(uri, info)
			}
			d.Report(uri, info, err)
		})
	}
	wg.Wait()
}

// Report records what an orchestrator answered, to a survey or to a job; err says that it did not
// answer, or that its offer cannot be used.
func (d *Directory) Report(asked string, info upstream.Info, err error) {
	d.mu.Lock()
	p := d.endpoints[asked]
	if p == nil {
		d.mu.Unlock()
		return
	}
	code := fault.Code("")
	if err != nil {
		code = fault.CodeOf(err)
	}
	changed := p.problem != code
	p.problem = code
	if err == nil {
		p.lastAnswer = d.opt.Now()
		p.price = PriceOf(info)
		d.addExtraNodesLocked(p, info.GetNodes())
	}
	d.mu.Unlock()
	if changed && err != nil {
		d.opt.Log.Debug("orchestrator gives no usable answer", "orchestrator", asked, fault.Attr(err))
	}
}

// addExtraNodesLocked takes the nodes that an orchestrator names, as many as are allowed and one
// level deep.
func (d *Directory) addExtraNodesLocked(p *endpoint, nodes []string) {
	if p.parent != "" || d.opt.ExtraNodes <= 0 {
		return
	}
	var named []string
	for _, text := range nodes {
		uri, err := upstream.ParseAddress(text)
		if err != nil {
			d.opt.Log.Debug("further node left out", "orchestrator", p.uri, "err", err)
			continue
		}
		if len(named) < d.opt.ExtraNodes && uri != p.uri && !slices.Contains(named, uri) {
			named = append(named, uri)
		}
	}
	for uri, other := range d.endpoints {
		if other.parent == p.uri && !slices.Contains(named, uri) {
			d.dropLocked(uri, other)
		}
	}
	for _, uri := range named {
		if d.endpoints[uri] == nil && len(d.endpoints) < 2*maxEndpoints {
			d.endpoints[uri] = &endpoint{uri: uri, owners: p.owners, fixed: p.fixed, parent: p.uri, since: d.opt.Now()}
		}
	}
}

// PriceOf returns an offer's price in wei per unit; nil is free.
func PriceOf(info upstream.Info) *big.Rat {
	p := info.GetPriceInfo()
	if p.GetPricePerUnit() <= 0 || p.GetPixelsPerUnit() <= 0 {
		return nil
	}
	return big.NewRat(p.GetPricePerUnit(), p.GetPixelsPerUnit())
}
