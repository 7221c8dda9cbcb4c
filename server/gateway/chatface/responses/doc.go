// Package responses maps OpenAI's Responses API to chat completions and back, for
// server/gateway/chatface.
//
// A request's items become messages, and a chat's answer or stream the output items and events of a
// response. What chat completions cannot say is refused by the field's name: tools that OpenAI runs
// itself, background work, conversations, files by ID. Responses are kept in memory for the API key
// that made them (Store), so that previous_response_id and item references work; Stored
// serves those. Number, bytes and age are bounded for each key, and bytes for all keys together: when these are full,
// the oldest responses go of the key that holds most. The package asks no model and checks no other limit of a key.
package responses
