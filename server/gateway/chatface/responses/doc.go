// Package responses maps OpenAI's Responses API to chat completions and back, for
// server/gateway/chatface.
//
// A request's items become messages, and a chat's answer or stream the output items and events of a
// response. What chat completions cannot say is refused by the field's name: tools that OpenAI runs
// itself, background work, conversations, files by ID. Responses are kept in memory for the API key
// that made them (package store), so that previous_response_id and item references work; Stored
// serves those. The package asks no model and checks no limit of a key.
package responses
