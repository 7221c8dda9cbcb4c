// Package manager runs a node's AI models: it starts and watches their runner
// containers, probes the servers behind url, reports each model's state with the
// reason, and hands out slots. It is the inference.Worker of a node with local
// runners, and a component that cmd/tutti starts and stops.
//
// It does not speak HTTP (ai/backend) nor to the Docker Engine (ai/docker), and
// reads no file (ai/models): it declares the interfaces that it needs.
//
// A model has one or more runners, each with its own goroutine, and one goroutine
// that owns the model's state. Models share only the GPUs: one that fails or hangs
// delays no other.
//
// A PictureFetcher fetches the images that requests name by URL, so that a model server needs no
// access to the internet. It connects only to public addresses, which it checks at each connection,
// and bounds number, size, time and memory.
package manager
