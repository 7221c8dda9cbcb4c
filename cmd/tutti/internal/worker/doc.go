// Package worker wires a node whose devices and models work for orchestrators elsewhere: it
// registers them and reports what keeps them from work.
package worker
