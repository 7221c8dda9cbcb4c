// Package pictures fetches the pictures that requests name by URL, so that a model server
// needs no access to the internet. It connects only to public addresses, which it checks at
// each connection, and bounds the number, size, time and memory.
//
// It does not decide which addresses of a request are pictures, nor what an entry of
// aiModels.json permits: ai/manager does, and calls it for jobs that have their slot
// and, on a chain, their payment.
package pictures
