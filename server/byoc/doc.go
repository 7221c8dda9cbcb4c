// Package byoc serves external capabilities ("bring your own capability") on an orchestrator: they register, gateways
// ask for a token and send requests, which are passed on, and streams, which get channels of server/trickle.
//
// The rules of slots and messages are core/byoc's, those of payment core/orchestrate's; server/orchestrator has the
// listener. The protocol's recorded exchanges are replayed by the tests.
package byoc
