// Package access tells where an HTTP request comes from, and which clients may use a gateway.
//
// From its headers it finds the host name in the request, whether a browser sends it for a page of another site, and
// whether a proxy forwarded it. Browsers let a page call any address that its host name resolves to (DNS rebinding),
// so a listener on loopback must check the Host header. The admin API and all listeners call these functions.
//
// A Policy decides for a gateway: its own machine, holders of an API key, and players with an address that was signed
// for one stream and a limited time. A request counts as this machine's if its connection begins there, no proxy
// forwarded it, it uses one of the gateway's own host names, and it is not from a page of another site. The package
// knows nothing about streams; the gateway and its AI interface are its callers.
//
// An AdminToken is the secret with which an operator's programs prove to the admin API that they may change the node:
// 256 random bits in a file that only the node's user reads. WrongTokens bounds how often one sender may be wrong. The
// AuditLog records changes: which client asked the node through its admin API for what, when, and the outcome, one JSON
// line each. Callers hand in parameters that may be written down; no secret is in it.
package access
