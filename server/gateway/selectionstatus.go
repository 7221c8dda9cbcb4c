package gateway

import (
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/selectionweights"
	"github.com/tuttinode/tutti/core/videorouting"
	"github.com/tuttinode/tutti/server/gateway/registry"
)

// SelectionStatus is what a gateway on the chain knows of orchestrators. It is public JSON.
type SelectionStatus struct {
	Weights selectionweights.Weights `json:"weights"`
	// MaxPrice is in wei per pixel, "" for any price.
	MaxPrice string `json:"maxPrice,omitempty"`
	// Read is when the chain was read last, Code why it cannot be read now.
	Read          time.Time            `json:"read"`
	Code          fault.Code           `json:"code,omitempty"`
	Orchestrators []OrchestratorStatus `json:"orchestrators"`
}

// OrchestratorStatus describes one service URI.
type OrchestratorStatus struct {
	URI     string       `json:"uri"`
	Address core.Address `json:"address"`
	Stake   core.LPT     `json:"stake"`
	// Parent named it as an extra node.
	Parent string `json:"parent,omitempty"`
	// Price is in wei per pixel, "" when it is not known or free.
	Price string `json:"price,omitempty"`
	// Score is its performance from 0 to 1, Latency the processing time as a multiple of the
	// playing time; absent while unknown.
	Score   *float64 `json:"score,omitempty"`
	Latency float64  `json:"latency,omitempty"`
	// LastAnswer is when it answered last.
	LastAnswer time.Time `json:"heard,omitzero"`
	// Code is why it is not used now, Until how long it is suspended for it. Barred ones returned a
	// false result.
	Code   fault.Code `json:"code,omitempty"`
	Until  time.Time  `json:"until,omitzero"`
	Barred bool       `json:"barred,omitempty"`
	// SomeClients: it is suspended for some clients only.
	SomeClients bool `json:"someClients,omitempty"`
}

// Selection returns the state of the choice among orchestrators; off-chain it lists only the suspended
// ones.
func (g *Gateway) Selection() SelectionStatus {
	now := g.opt.Now()
	left := make(map[videorouting.Identity]videorouting.Suspended)
	for _, s := range g.suspended.List(now) {
		left[videorouting.Identity{Asked: s.Asked, Owner: s.Owner}] = s
	}
	out := SelectionStatus{Orchestrators: []OrchestratorStatus{}}
	if g.opt.Network != nil {
		c := &choice{opt: g.opt, measures: &g.measures}
		out.Weights = g.opt.Selection.Weights
		if r := c.rule(); r.MaxPrice != nil {
			out.MaxPrice = r.MaxPrice.RatString()
		}
		known, read, err := g.opt.Network.Snapshot()
		out.Read = read
		if err != nil {
			out.Code = fault.CodeOf(err)
		}
		for i := range known {
			o := c.status(&known[i], now)
			at, owner := videorouting.Identity{Asked: o.URI}, videorouting.Identity{Owner: o.Address}
			o.addSuspension(left[owner])
			o.addSuspension(left[at])
			delete(left, at)
			out.Orchestrators = append(out.Orchestrators, o)
		}
	}
	for _, s := range g.suspended.List(now) {
		if _, more := left[videorouting.Identity{Asked: s.Asked}]; more && s.Asked != "" {
			o := OrchestratorStatus{URI: s.Asked}
			o.addSuspension(s)
			out.Orchestrators = append(out.Orchestrators, o)
		}
	}
	return out
}

// addSuspension records a suspension, if there is one, and the longer one of two.
func (o *OrchestratorStatus) addSuspension(s videorouting.Suspended) {
	if s.Until.After(o.Until) {
		o.Code, o.Until, o.Barred, o.SomeClients = s.Code, s.Until, s.Barred, s.Some
	}
}

func (c *choice) status(k *registry.Known, now time.Time) OrchestratorStatus {
	o := OrchestratorStatus{URI: k.URI, Address: k.Owner, Stake: k.Stake, Parent: k.Parent, LastAnswer: k.LastAnswer,
		Code: k.Problem}
	if k.Price != nil {
		o.Price = k.Price.RatString()
	}
	offer := videorouting.Offer{URI: k.URI, Asked: k.URI, Owner: k.Owner, Registered: k.Owner, Stake: k.Stake,
		Price: k.Price}
	candidate := c.candidate(&offer, now)
	if _, rated := c.rated(o.Address); !rated {
		candidate.Score, candidate.Scored = c.measures.total(offer.Identity(), now)
	}
	if candidate.Scored {
		o.Score = &candidate.Score
		o.Latency = c.measures.latency(offer.Identity(), now)
	}
	if o.Code == "" {
		o.Code = c.objection(&offer, now)
	}
	if o.Code == "" && c.rule().Slow(&candidate) {
		o.Code, o.SomeClients = fault.OrchestratorBelowScore, true
	}
	return o
}
