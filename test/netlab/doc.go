// Package netlab gives tests a network with distance: each host is a network
// namespace of its own, and the packets between them pass through this process, which
// lets them wait, loses them, or keeps hosts apart. Real programs run on real kernels'
// TCP; only the wire is made up.
//
// It needs the right to make network namespaces and TUN devices, as root has. Needs
// says whether that is so.
package netlab
