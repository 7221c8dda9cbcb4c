// Package sse watches and adapts streams of server-sent events as language
// models send them: it finds a stream's usage, its end and its errors while the
// bytes pass, and rewrites what a reader at the other end could not take.
//
// It moves no bytes itself and decodes no event that it need not: Scanner and
// JSONScanner only look, in whatever pieces arrive from the network, and remember a
// few counters; Filters hold back no more than one event. The gateway's and the
// orchestrator's relays call it; ai/backend passes streams on untouched.
package sse
