// Package doctorcmd is `tutti doctor` with its words: the checks, `doctor bundle` and `doctor
// explain`. The checks themselves are package core/doctor's. cmd/tutti calls it, and
// `tutti init` runs its checks.
//
// The checks of core/doctor see the world through the node's own parts: the machine, a running
// node, GPUs, ports, the chain, the key, the models and the disk. They take nothing from a running
// node: no port, no lock, no GPU.
package doctorcmd
