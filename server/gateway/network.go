package gateway

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math/big"
	"slices"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/selectionweights"
	"github.com/tuttinode/tutti/core/videorouting"
	"github.com/tuttinode/tutti/server/gateway/registry"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// networkList are the orchestrators of the chain.
type networkList struct{ directory *registry.Directory }

func (n networkList) list(ctx context.Context) ([]string, error) { return n.directory.List(ctx) }

// namedList are the orchestrators that the operator's hook names, for a gateway on the chain.
type namedList struct {
	hook      *hookList
	directory *registry.Directory
}

func (n namedList) list(ctx context.Context) ([]string, error) {
	uris, err := n.hook.list(ctx)
	n.directory.Use(uris)
	return uris, err
}

// attachOwner determines the owner of an offer on the chain. An offer without a registered owner
// becomes a fault.
func (g *Gateway) attachOwner(f *upstream.Found) {
	f.Offer.Asked, f.Offer.Got = f.Asked, g.opt.Now()
	if g.opt.Network == nil {
		return
	}
	if f.Err == nil {
		var owner registry.Owner
		if owner, f.Err = g.opt.Network.OwnerOf(f.Asked, f.Info); f.Err == nil {
			f.Offer.Owner, f.Offer.Stake, f.Offer.Price = owner.Address, owner.Stake, registry.PriceOf(f.Info)
			if owner.Registered {
				f.Offer.Registered = owner.Address
			}
		}
	} else if errors.Is(f.Err, fault.OrchestratorUnregistered) {
		f.Err = fault.Wrap(fault.OrchestratorUnregistered, "check an orchestrator's offer", f.Err)
	}
	if fault.CodeOf(f.Err) != fault.Canceled || f.Err == nil {
		g.opt.Network.Report(f.Asked, f.Info, f.Err)
	}
}

// offerOf extracts from new terms what the rules need; the owner is that of the previous offer.
func (g *Gateway) offerOf(info upstream.Info, before *videorouting.Offer) videorouting.Offer {
	o := upstream.OfferOf(info, g.opt.Now())
	o.Asked, o.Registered, o.Got = before.Asked, before.Registered, g.opt.Now()
	if g.opt.Network != nil {
		o.Owner, o.Stake, o.Price = before.Owner, before.Stake, registry.PriceOf(info)
	}
	return o
}

// choice is a gateway's choice among orchestrators on the chain for the streams of a client. That of
// the client "" is what holds for all.
type choice struct {
	opt      Options
	measures *measures
	client   string
}

// choiceFor is the choice for a client's streams, nil off-chain.
func (g *Gateway) choiceFor(client string) videorouting.Choice {
	if g.opt.Network == nil {
		return nil
	}
	return &choice{opt: g.opt, measures: &g.measures, client: client}
}

// rule returns the current rule: limits may change at run time.
func (c *choice) rule() *selectionweights.Rule {
	s := &c.opt.Selection
	r := &selectionweights.Rule{Weights: s.Weights, IgnoreMaxPrice: s.IgnoreMaxPrice, MinScore: s.MinPerfScore}
	if s.MaxPrice != nil {
		r.MaxPrice = s.MaxPrice()
	}
	return r
}

// Allowed returns the offers within the price limit and above the minimum score.
func (c *choice) Allowed(offers []*videorouting.Offer) []int {
	return c.rule().Eligible(c.candidates(offers))
}

// Choose draws one of them at random.
func (c *choice) Choose(offers []*videorouting.Offer) int {
	return c.rule().Choose(c.candidates(offers), uniform(c.opt.Rand))
}

// candidates describe offers to the rule. A service whose scores leave none of them is overruled: it may move work
// between orchestrators, not end it.
func (c *choice) candidates(offers []*videorouting.Offer) []selectionweights.Candidate {
	out := make([]selectionweights.Candidate, len(offers))
	now, scored := c.opt.Now(), false
	for i, o := range offers {
		out[i] = c.candidate(o, now)
		_, rated := c.rated(o.Owner)
		scored = scored || rated
	}
	if !scored || len(c.rule().Eligible(out)) > 0 {
		return out
	}
	own := slices.Clone(out)
	for i, o := range offers {
		own[i].Score, own[i].Scored = c.measures.score(o.Identity(), c.client, now)
	}
	if len(c.rule().Eligible(own)) == 0 {
		return out
	}
	if c.opt.Selection.Overruled != nil {
		c.opt.Selection.Overruled()
	}
	return own
}

func (c *choice) candidate(o *videorouting.Offer, now time.Time) selectionweights.Candidate {
	out := selectionweights.Candidate{Owner: o.Owner, Stake: o.Stake, Price: o.Price,
		Speed: c.measures.speed(o.Identity(), c.client, now)}
	out.Score, out.Scored = c.rated(o.Owner)
	if !out.Scored {
		out.Score, out.Scored = c.measures.score(o.Identity(), c.client, now)
	}
	return out
}

// rated is the score of an orchestrator by the operator's service, if there is one.
func (c *choice) rated(owner core.Address) (score float64, ok bool) {
	if c.opt.Selection.Score == nil {
		return 0, false
	}
	return c.opt.Selection.Score(owner)
}

// objection returns the code why an offer must not be used now, "" when it may be.
func (c *choice) objection(o *videorouting.Offer, now time.Time) fault.Code {
	r, candidate := c.rule(), c.candidate(o, now)
	switch {
	case r.Slow(&candidate):
		return fault.OrchestratorBelowScore
	case c.tooExpensive(o):
		return fault.OrchestratorTooDear
	}
	return ""
}

// tooExpensive reports whether an offer's price is above the limit, and the limit is not ignored.
func (c *choice) tooExpensive(o *videorouting.Offer) bool {
	r := c.rule()
	return r.TooExpensive(o.Price) && !r.IgnoreMaxPrice
}

// objection is why an offer must not be used now for a client, as far as the streams know together: a
// fault OrchestratorBarred, OrchestratorBelowScore or OrchestratorTooDear, or nil. Off-chain only
// false results count against offers.
func (g *Gateway) objection(client string, o *videorouting.Offer) error {
	now := g.opt.Now()
	code := fault.Code("")
	if g.suspended.For(client).Barred(o.Identity(), now) {
		code = fault.OrchestratorBarred
	} else if c, ok := g.choiceFor(client).(*choice); ok {
		code = c.objection(o, now)
	}
	if code == "" {
		return nil
	}
	return fault.New(code, "choose an orchestrator", o.URI)
}

// objections are why none of some offers was chosen.
func (g *Gateway) objections(client string, offers []videorouting.Offer) (errs []error) {
	for i := range offers {
		errs = append(errs, g.objection(client, &offers[i]))
	}
	return errs
}

// uniform reads a number in [0, 1). A source that fails gives the middle: the choice is no secret.
func uniform(random io.Reader) float64 {
	var b [8]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return 0.5
	}
	const bits = 53
	f, _ := new(big.Float).SetMantExp(new(big.Float).SetUint64(binary.BigEndian.Uint64(b[:])>>(64-bits)), -bits).Float64()
	return f
}
