// Package recipient is an orchestrator's side of being paid with tickets: it says
// what work costs a gateway, hands out the parameters that tickets are made with,
// takes payments in, and keeps the balance of every account between the tickets
// that came and the work that was done.
//
// It does not judge single tickets, which package pm does; nothing it counts is only
// in its memory, because pm/ledger has it on disk first; and it turns no winner into
// money: those are handed to pm/redeemer. core/orchestrate calls it for every
// request, cmd/tutti makes it and runs it.
package recipient
