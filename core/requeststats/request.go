package requeststats

import (
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
)

// Kind is what was requested.
type Kind string

// The kinds. A gateway requests an offer before it sends segments or jobs.
const (
	TranscodingOffer Kind = "transcoding_offer"
	AIOffer          Kind = "ai_offer"
	Segment          Kind = "segment"
	Job              Kind = "job"
)

// Kinds returns all of them, in order.
func Kinds() []Kind { return []Kind{TranscodingOffer, AIOffer, Segment, Job} }

// Request is one request and its answer.
type Request struct {
	Kind Kind
	// Gateway is the account that signed the request; zero without a valid signature.
	Gateway core.Address
	// Code is why it was refused, "" if it was not.
	Code fault.Code
	// Missing names what was requested and the node does not have; "" for nothing. An offer
	// may be made all the same, and the gateway chooses another node.
	Missing string
	// Quoted is the price in an offer, nil without one.
	Quoted *pm.Price
	// Expected is the price that the gateway named, nil if it named none.
	Expected *pm.Price
}
