// Package pictures fetches the pictures that requests name by their address, so that a
// model server gets them without a way to the internet of its own. It connects to
// public addresses alone, looked at when it connects, and bounds the number, size and
// time of what it fetches and the memory for all of it.
//
// It does not decide which addresses of a request are pictures, nor what an entry of
// aiModels.json permits: ai/manager does, and calls it for jobs that have their slot
// and, on a chain, their payment.
package pictures
