// Package layout checks the shape of the source tree: who may import whom and
// why, that every package says what it is for, that files stay small, and that
// no words are left which have no place in it.
//
// It holds tests only. They read the tree with go list and the parser, compile
// nothing of it, and so need neither libav nor a GPU. `make lint` runs them.
package layout
