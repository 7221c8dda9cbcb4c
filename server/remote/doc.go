// Package remote is what the orchestrator's two services for workers on other
// machines share: the secrets by which workers are let in, the connection of a
// registration, who is registered under which name, the messages on their way to a
// worker, and the tasks whose results are waited for.
//
// It knows neither segments nor AI jobs, and makes no connection itself.
// server/remote/transcoders and server/remote/aiworkers build on it; the listener of
// server/orchestrator plugs in ConnContext and Streams.
package remote

import "strings"

// Headers of results and the metadata by which nodes of our own kind know one
// another. Unmodified nodes neither send nor read them.
const (
	// NodeMetadata, on the stream of a registration, is the orchestrator's version,
	// "tutti/0.9.1". It comes before the first message.
	NodeMetadata = "tutti-node"
	// PlaceMetadata, beside it, names the place that the worker has got. It stays the same
	// as long as the worker's sessions do: after a restart of the orchestrator, or when it
	// had given the worker up, the place is another.
	RegistrationMetadata = "tutti-place"
	// InstanceHeader, on a result, is the instance of the worker that sends it, as in
	// its registration.
	InstanceHeader = "Tutti-Instance"
	// WorkerHeader is the device that did the work, "gpu 0".
	WorkerHeader = "Tutti-Worker"
	// StatusHeader is the HTTP status of an AI runner's answer.
	StatusHeader = "Tutti-Status"
	// CodeHeader is the fault's code of a failed task.
	CodeHeader = "Tutti-Code"
)

// NodePrefix begins what a node of our own kind calls itself.
const NodePrefix = "tutti/"

// ProcessOf is the process of a worker's instance: one that registers at several
// addresses adds "/2" and so on for the further ones.
func ProcessOf(instance string) string {
	process, _, _ := strings.Cut(instance, "/")
	return process
}

// Node is how a node of a release names itself.
func Node(version string) string { return NodePrefix + version }
