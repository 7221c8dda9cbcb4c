// Package aiapi is what applications see of a gateway's AI: POST /llm, OpenAI's
// addresses below /v1, and the network's other pipelines under their own names.
//
// It reads a request far enough to know its model and price, asks whether its key
// may, lets it wait its turn, and passes on the answer's bytes as they come,
// looking only for usage and for the answer's end. Who answers is
// server/gateway/broker's choice, its caller is server/gateway, which mounts it
// among the gateway's addresses. It decides nothing about models and keys.
package aiapi
