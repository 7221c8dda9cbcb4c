// Package router answers gateways for several orchestrators of one operator: whoever
// asks for an offer gets that of the orchestrator with most room, and from then on
// talks to it directly. Neither segments nor payments pass here, so that a router
// needs no key, no price and no state, and may be started twice.
//
// It judges orchestrators by what they answer and by their public /status. What is
// asked goes on as it came; signatures stay good.
package router
