// Package alert says who is told of the node's lasting troubles, and when: how long
// a condition must last first, that it is told once and not at every flicker, again
// after hours, and once more when it is over. It also keeps each sink's queue: its
// bound, its pace and its pauses after failures.
//
// It sends nothing and has no clock of its own: server/alert does the sending, and
// cmd/tutti hands it the health board. It decides nothing about what is wrong, which
// is the board's to know; how grave that is, core/fault says.
package alert
