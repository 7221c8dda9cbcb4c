// Package guards asks services and programs of the operator about requests and answers of language models
// (-aiGuards). A guard may refuse, change or annotate them; of a stream it gets the events in groups.
//
// It knows nothing of HTTP requests of clients: server/gateway/aiapi calls it.
package guards
