// Package apikeys decides which clients may use a gateway's AI routes and how much: API keys with
// allowed models, requests and tokens per minute, concurrency and a token budget per period.
//
// Limits are exact. The maximum use of a request is reserved before it starts and settled by its
// real use, so that streams in flight cannot overrun a budget. The package reads no file, opens no
// socket and has no clock of its own: server/apikeystore keeps keys and counts on disk, reads the
// key file and calls the operator's webhook; the gateway calls Admit before a request and Settle
// after it.
package apikeys
