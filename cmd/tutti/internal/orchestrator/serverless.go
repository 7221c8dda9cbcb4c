package orchestrator

import (
	"crypto/rand"
	"fmt"
	"math/big"
	"net/url"
	"time"

	"github.com/tuttinode/tutti/ai/models"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/server/liverunner"
	"github.com/tuttinode/tutti/server/livevideo"
	"github.com/tuttinode/tutti/server/orchestrator"
)

// newServerless makes what serves the model of -aiServerless, once the rules are there. The model is the one of the
// start: the file's later changes of it take a restart.
func (p *Part) newServerless() error {
	c := &p.Config.AI.Serverless
	if !c.On {
		return nil
	}
	var entry *models.Entry
	if p.models.Models != nil {
		entry = p.models.Models.Serverless()
	}
	if entry == nil {
		p.Board.Set(health.Key{Code: fault.NoModels, About: "-aiServerless"},
			"-aiModels has no valid entry of live-video-to-video whose url is a WebSocket")
		return nil
	}
	to, err := url.Parse(entry.URL)
	if err != nil {
		return fmt.Errorf("read the url of %s: %w", entry.Model, err)
	}
	opt := livevideo.ServerlessOptions{
		Hub: p.channels, ServiceURI: p.serviceURI(),
		Runner: livevideo.ServerlessRunner{Model: entry.Model, URL: to, Key: c.Key, Capacity: max(1, entry.Capacity)},
		Times:  livevideo.ServerlessTimes{Session: c.Timeout, Grace: c.Grace},
		Reached: func(err error) {
			if err != nil { // its text names addresses that are the operator's
				err = fault.Wrap(fault.RunnerUnreachable, "connect to the serverless runner", err)
			}
			p.Board.Report(health.Key{Code: fault.RunnerUnreachable, About: entry.Model.String()}, err)
		},
		Draining: p.Rules.Draining, Now: time.Now, Rand: rand.Reader, Log: p.Log,
	}
	if !c.Prefix.IsZero() {
		if opt.Runner.Prefix, err = url.Parse(c.Prefix.Reveal()); err != nil {
			return fmt.Errorf("read -aiServerlessPrefix: %w", err)
		}
	}
	if p.earning != nil {
		opt.Payments = orchestrator.ServerlessPayments{Paywall: p.newPaywall()}
		opt.Price = func() int64 {
			wei, _ := p.book.Model(core.Address{}, entry.Model)
			return wholeWei(wei)
		}
	}
	p.serverless = livevideo.NewServerless(opt)
	return nil
}

// wholeWei rounds a price down; 0 for none, and for one that is too large.
func wholeWei(price *big.Rat) int64 {
	if price == nil {
		return 0
	}
	whole := new(big.Int).Quo(price.Num(), price.Denom())
	if !whole.IsInt64() {
		return 0
	}
	return whole.Int64()
}

// furtherOffers are those besides live runners; nil where there is none.
func (p *Part) furtherOffers() func() []liverunner.Offer {
	if p.serverless == nil {
		return nil
	}
	return p.serverless.Offers
}
