// Package money plays gateways, operators and neighbors that want an orchestrator's
// work for nothing, or its money twice: sound that lies about its length, prices that
// the wire cannot carry, debts spread over sessions, ledgers restored from older
// copies, a redeemer that keeps what it was handed. Each test runs the real node on
// the local chain, and the attacker has only what the network gives it: a funded
// account and the wire formats.
package money
