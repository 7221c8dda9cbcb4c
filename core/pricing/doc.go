// Package pricing is what work costs: the prices an orchestrator asks, by default,
// of single gateways and for single models, and the most that a gateway pays. Both
// may be in wei, in ETH or in the currency of a price feed, and follow its rate.
//
// It holds prices as the operator means them, exact and per unit of work. It does
// not quote: pm/recipient adds the cost of redemption and puts them on the wire,
// server/gateway compares offers with the most that is paid. cmd/tutti makes a Book
// or Caps, config reads the documents of prices with it, and the admin API changes
// both while the node runs.
package pricing
