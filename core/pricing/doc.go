// Package pricing is the price of work: the prices an orchestrator asks, by default, of single gateways and
// for single models, and the maximum that a gateway pays. Both may be in wei, in ETH or in the currency of a
// price feed, and follow its rate.
//
// It keeps prices as the operator set them, exact and per unit of work. It does not quote: pm/recipient adds
// the cost of redemption and encodes quotes, server/gateway compares offers with the maximum. cmd/tutti makes
// a Book or Caps, config parses price documents with it, and the admin API changes both while the node runs.
package pricing
