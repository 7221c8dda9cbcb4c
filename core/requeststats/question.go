package requeststats

import (
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
)

// Kind is what was asked for.
type Kind string

// The kinds. An offer is a gateway's look for an orchestrator; only after one come
// segments or jobs.
const (
	TranscodingOffer Kind = "transcoding_offer"
	AIOffer          Kind = "ai_offer"
	Segment          Kind = "segment"
	Job              Kind = "job"
)

// Kinds are all of them, in order.
func Kinds() []Kind { return []Kind{TranscodingOffer, AIOffer, Segment, Job} }

// Question is one request and how it was answered.
type Question struct {
	Kind Kind
	// Gateway is who asked, as its signature proves; zero where nothing does.
	Gateway core.Address
	// Code is why it was refused, "" when it was not.
	Code fault.Code
	// Missing says what the gateway asked for and the node does not have; "" for nothing.
	// An offer may be made all the same, and the gateway goes elsewhere.
	Missing string
	// Quoted is the price in an offer, nil without one.
	Quoted *pm.Price
	// Expected is the price that the gateway came with, nil where it named none.
	Expected *pm.Price
}
