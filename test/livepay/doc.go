// Package livepay pays for live runners at an orchestrator's real rules, recipient of tickets and public
// paths, in one process: the recorded exchanges with payments, thousands of hours of sessions with kills,
// stalls and clocks that are set, and payers who cheat. The chain and the books' disk are models; the
// tickets, their signatures and the money are real.
//
// It is no part of the node and holds nothing but tests.
package livepay
