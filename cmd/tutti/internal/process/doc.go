// Package process is the node as a process of the system: signals, inherited sockets, the
// service manager, drain, descriptors, the heap's headroom, and the hand-over to another
// process in an upgrade. It knows of the node only what Parts names. cmd/tutti makes one
// Process and runs the node's components in it.
//
// release.go names this program's version and the release of the network whose wire interface it
// speaks.
package process
