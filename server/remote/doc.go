// Package remote is the common part of the orchestrator's two services for remote workers:
// the secrets that admit workers, a registration's connection, unique worker names, the
// queue of messages to a worker, and the tasks that wait for results.
//
// It knows neither segments nor AI jobs, and makes no connection itself.
// server/remote/transcoders and server/remote/aiworkers build on it; the listener of
// server/orchestrator plugs in ConnContext and Streams.
package remote

import "strings"

// Headers of results, and metadata by which tutti nodes recognize each other. Other nodes
// neither send nor read them.
const (
	// NodeMetadata, on the stream of a registration, is the orchestrator's version,
	// "tutti/0.9.1". It comes before the first message.
	NodeMetadata = "tutti-node"
	// RegistrationMetadata, next to it, is the id of the registration. It stays the same as
	// long as the worker's sessions do, and changes after a restart of the orchestrator or
	// when the orchestrator had dropped the worker.
	RegistrationMetadata = "tutti-place"
	// InstanceHeader, on a result, is the instance of the worker that sends it, as in
	// its registration.
	InstanceHeader = "Tutti-Instance"
	// WorkerHeader is the device that did the work, "gpu 0".
	WorkerHeader = "Tutti-Worker"
	// StatusHeader is the HTTP status of an AI runner's answer.
	StatusHeader = "Tutti-Status"
)

// NodePrefix begins the release name of a tutti node.
const NodePrefix = "tutti/"

// ProcessOf returns the process part of a worker's instance: a process that registers at several
// addresses appends "/2" and so on.
func ProcessOf(instance string) string {
	process, _, _ := strings.Cut(instance, "/")
	return process
}

// Node returns the release name of a tutti node.
func Node(version string) string { return NodePrefix + version }
