// Package endpoints plays chain endpoints that lie to a real node on a local chain:
// false addresses of contracts, values, reverts, receipts, heads and prices of gas.
// What must hold is read from the chain through an endpoint that the node does not
// have, or from what a redeemer was handed: no money goes anywhere else, and no winning ticket ends without its payout.
package endpoints
