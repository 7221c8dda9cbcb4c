// Package remotesigner signs payments for gateways that have no key. A caller sends an orchestrator's terms and the
// state it was given last; it gets tickets for the work since then, and a new state. The state is signed, so that its
// holder can show it but not change it.
//
// The package keeps no sessions. It remembers for a while which states were used, so that a repeated request gets
// the same tickets, and counts what each auth id spent on a day. It knows no HTTP and no protobuf:
// server/remotesigner reads the messages, pm/sender makes the tickets.
package remotesigner
