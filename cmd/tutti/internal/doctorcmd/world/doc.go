// Package world looks at the real world for the checks of core/doctor: the machine, the
// node that may run beside, GPUs, ports, the service address, the chain, the key, the
// models and the disk. It uses the node's own parts, so that doctor sees what a node
// would see.
//
// It draws no conclusion, changes nothing but by the repairs that it hands out, and takes
// nothing from a running node: no port, no lock, no GPU. The doctor command of
// cmd/tutti is its caller.
package world
