// Package orchestrator wires the orchestrator's role: the rules for jobs, the public listener, the
// services that workers of other machines register with, and the checks of the node's address and
// of its rank in the pool. The rules are those of core/orchestrate.
//
// migration.go takes over the keys and winning tickets of an existing node; package command reads
// that node's files, and core/migrate redeems the tickets.
package orchestrator
