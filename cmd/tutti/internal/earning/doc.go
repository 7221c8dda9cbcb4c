// Package earning wires an orchestrator's side of being paid: the ledger in the node's database or
// in one that several nodes share, the recipient of tickets, and the redeemer of this process or
// the handover to another one. The rules are those of package pm.
package earning
