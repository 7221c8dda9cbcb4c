// Package chatface serves other APIs for language models by the gateway's chat completions.
//
// A Face maps an API's requests and answers; Handler is the middleware that applies it. The request
// goes on to the gateway's own handler as one of OpenAI's, so that keys, limits, payment, the choice
// of an orchestrator and aborts are that handler's alone. The package knows no API; those are in its
// subdirectories. cmd/tutti mounts them.
package chatface
