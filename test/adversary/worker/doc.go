// Package worker plays a media worker that was taken over by the media it decodes. It
// stops a real node's worker and speaks to the node in its place, through the same
// socket: results without an order, far too large ones, and talk without an end. The
// node has to bound what that costs, and to end the worker by name.
package worker
