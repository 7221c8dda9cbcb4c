// Package netlab gives tests a network with distance: each host is a network
// namespace of its own, and the packets between them pass through this process, which
// delays them, drops them, or separates hosts. Real programs use the kernel's real TCP; only
// the wire is simulated.
//
// It needs the right to make network namespaces and TUN devices, as root has. Needs
// says whether that is so.
package netlab
