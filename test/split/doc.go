// Package split runs the set-up of an operator with several machines: a gateway, an
// orchestrator, transcoders and an AI worker, each a real process on a host of its own
// with packets that take their time and get lost, paid on a real local chain. Workers
// are killed, cut off and drained meanwhile, and what was lost is counted.
//
// It needs the right to make network namespaces (test/netlab) and holds nothing but
// tests.
package split
