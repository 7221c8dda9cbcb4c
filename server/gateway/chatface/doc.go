// Package chatface serves other APIs for language models by the gateway's chat completions.
//
// A Face maps an API's requests and answers; Handler is the middleware that applies it. The request
// goes on to the gateway's own handler as one of OpenAI's, so that keys, limits, payment, the choice
// of an orchestrator and aborts are that handler's alone. The larger faces are in its subdirectories. cmd/tutti
// mounts them.
//
// Moderation is the small face that is here: OpenAI's /v1/moderations, for which a language model of the operator's
// choice rates each text by OpenAI's categories. It decides nothing about a text: applications that asked do that.
//
// A ChatRequest, a ChatAnswer and what they consist of have the form of chat completions, as far as faces need it:
// what they ask for and what they read of answers.
package chatface
