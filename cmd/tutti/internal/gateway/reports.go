package gateway

import (
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/server/gateway"
	"github.com/tuttinode/tutti/server/gateway/registry"
)

// addReports adds what sends events and reports of segments to the operator's brokers.
func (p *Part) addReports() (err error) {
	var account core.Address
	if p.Paying != nil {
		account = p.Paying.Sender.Account()
	}
	if p.events, err = p.Events(account); err != nil {
		return err
	}
	p.segments, err = p.Segments(account)
	return err
}

// addScores makes a service's scores count in the choice of orchestrators.
func (p *Part) addScores(opt *gateway.Options) {
	c := &p.Config.Selection
	if c.PerfStats.IsZero() {
		return
	}
	scores := registry.NewScores(registry.ScoresOptions{URL: core.NewSecret(c.PerfStats.Reveal()), Region: c.Region,
		Board: p.Board, Log: p.Log, Now: time.Now})
	opt.Selection.Score, opt.Selection.Overruled = scores.Score, scores.Overruled
	p.Add(scores)
}
