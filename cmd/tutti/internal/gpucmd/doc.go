// Package gpucmd is `tutti gpu list`, and the hidden command that reads the GPU driver in a
// process of its own. cmd/tutti and `tutti init` call it.
package gpucmd
