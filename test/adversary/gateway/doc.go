// Package gateway attacks a gateway's own listener: web pages that reach it by a name
// that they bound to this machine, requests that a proxy or a tunnel on the machine
// brings from anywhere, and strangers that guess the names of streams. It also follows
// a stream as players do that were given a signed address.
//
// docs/security.md names the promise that each test holds.
package gateway
