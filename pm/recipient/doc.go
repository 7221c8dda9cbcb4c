// Package recipient is an orchestrator's side of being paid with tickets: it quotes what
// work costs a gateway, issues the parameters that tickets are made with, accepts
// payments, and keeps the balance of every account between the tickets that arrived and
// the work that was done.
//
// It does not verify single tickets: package pm does. All it counts is in pm/ledger, on
// disk, first. It redeems no winner: it hands them to pm/redeemer. core/orchestrate calls
// it for every request; cmd/tutti makes and runs it.
package recipient
