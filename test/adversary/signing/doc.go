// Package signing attacks the key of a node's account through everything that signs
// with it: the ping on the public port, the admin API's signing routes, and what a
// gateway signs for orchestrators. Each test asks for bytes that would be worth money
// elsewhere and then tries to use them on a real chain.
//
// docs/security.md names the promise that each test holds.
package signing
