// Package aiapi is a gateway's AI interface for applications: POST /llm, OpenAI's routes under /v1,
// and the network's other pipelines under their own names.
//
// It reads a request far enough to know its model and price, checks its key, queues it fairly per
// model, and relays the answer's bytes as they arrive, scanning only for usage and the end of the
// answer. The orchestrator is chosen by server/gateway/broker. server/gateway mounts the routes.
// The package holds no rules about models or keys.
package aiapi
