// Package messages is the face of Anthropic's Messages API: POST /v1/messages and
// /v1/messages/count_tokens.
//
// It maps and keeps no state between requests. What chat completions cannot say is refused by the
// field's name. server/gateway/chatface serves it.
package messages
