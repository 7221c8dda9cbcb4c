// Package orchestrator wires the orchestrator's role: the rules for jobs, the public listener, the
// services that workers of other machines register with, and the checks of the node's address and
// of its rank in the pool. The rules are those of core/orchestrate.
//
// Earning is the side of being paid: the ledger in the node's database or in one that several nodes share, the
// recipient of tickets, and the redeemer of this process or the handover to another one. A redeemer of its own
// (NewRedeemer) is a part of it. The rules are those of package pm.
//
// migration.go takes over the keys and winning tickets of an existing node; package command reads
// that node's files, and core/migrate redeems the tickets.
package orchestrator
