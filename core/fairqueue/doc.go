// Package fairqueue is a bounded, fair queue for a number of slots: callers wait when all
// slots are taken, parties take turns, and the number of waiting callers is limited.
// ai/manager has one queue per model. A Budget is memory that parties share fairly, without a queue.
//
// It does not know what the slots are for or what decides their number. The caller's
// context limits its wait.
package fairqueue
