// Package apikeys says who may use a gateway's AI routes and how much: API keys
// with allowed models, requests and tokens per minute, concurrency and a token
// budget per period.
//
// Limits are exact. What a request may use at most is reserved before it starts
// and settled by what it did use, so that streams in flight cannot overrun a
// budget. The package reads no file, opens no socket and has no clock of its own:
// server/apikeystore keeps keys and counts on disk, reads the key file and asks the
// operator's webhook; the gateway asks Admit before a request and calls Settle
// after it.
package apikeys
