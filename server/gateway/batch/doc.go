// Package batch is OpenAI's files and batches on a gateway: /v1/files and /v1/batches.
//
// A batch is a file of requests, one a line. Each goes through the gateway's own handler like a
// client's request, with the lowest priority and a bound of its own on prices, and its answer is on
// disk before it counts: a node that is killed goes on where it stood. Files are the key's that
// made them. cmd/tutti makes the Server, registers its routes and runs it; the package chooses no
// orchestrator and checks no limit of a key.
package batch
