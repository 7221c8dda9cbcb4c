// Package doctorcmd is `tutti doctor` with its words: the checks, `doctor bundle` and `doctor
// explain`. The checks themselves are package core/doctor's. cmd/tutti calls it, and
// `tutti init` runs its checks.
//
// The checks of core/doctor see the world through the node's own parts: the machine, a running
// node, GPUs, ports, the chain, the key, the models and the disk. They take nothing from a running
// node: no port, no lock, no GPU.
//
// `tutti doctor bundle` writes an archive with what a helper of an operator asks for first. It says
// what is in it, only its owner may read it, and what the configuration holds as secret is taken
// out of all parts.
package doctorcmd
