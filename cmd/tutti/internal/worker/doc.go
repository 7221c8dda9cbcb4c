// Package worker wires a node whose devices and models work for orchestrators elsewhere: it
// registers them and reports what keeps them from work. It takes no jobs itself; the connections are
// those of package server/worker.
package worker
