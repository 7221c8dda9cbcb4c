// Package scale tries placement with as many transcoders and sessions as an operator
// may ever have: 10 000 and 100 000, with arrivals, departures and failures.
//
// It also computes what nodes, databases and regions bear: docs/scale.md has the constants and the results, and a
// test keeps them in step.
//
// It holds tests and benchmarks only and no media: transcoders are puppets, and what is
// checked is transcoder/pool and core/orchestrate, by what they looked at, which they
// lost and how much memory they took. Nothing imports it; `go test -bench .` prints
// the figures.
package scale
