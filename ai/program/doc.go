// Package program runs a program of the operator beside the node, such as a live runner: it starts it,
// starts it again when it ends or does not work, and stops it with its children. It knows nothing of what
// the program does; cmd/tutti gives it the GPUs that the plan of the models has for it.
package program
