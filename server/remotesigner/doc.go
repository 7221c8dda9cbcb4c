// Package remotesigner is the HTTP service by which gateways without a key have payments signed: it reads the messages,
// asks the operator's webhook, and answers in the network's form. What may be signed is decided in pm/remotesigner.
//
// It listens on loopback unless the operator's webhook, or a switch, opens it. It serves no other role's routes.
package remotesigner
