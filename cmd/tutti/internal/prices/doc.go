// Package prices makes the tables of prices of a node from its configuration: what it asks
// for work, what it pays at most, and which models of workers elsewhere have a price. The
// rules of prices are package core/pricing's. Only cmd/tutti calls it.
package prices
