// Package router answers gateways for several orchestrators of one operator: whoever
// asks for an offer gets that of the orchestrator with most room, and from then on
// talks to it directly. Neither segments nor payments pass here, so that a router
// needs no key, no price and no state, and may be started twice.
//
// It judges orchestrators by what they answer and by their public /status. What is
// asked goes on as it came, after its form and signature were checked: signatures stay
// good. To its orchestrators a router is one address, so it bounds what one of its own
// peers makes it ask (admission.Cause), and the operator names it to them as a known peer.
package router
