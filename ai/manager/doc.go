// Package manager keeps a node's AI models alive: it starts and watches their
// runner containers, probes the servers behind url, says what each model's state
// is and why, and hands out their slots. It is the inference.Worker of a node
// with local runners, and a component that cmd/tutti starts and stops.
//
// It does not speak HTTP (ai/backend) nor to the Docker Engine (ai/docker), and
// reads no file (ai/models): it declares what it needs of them.
//
// A model has one or more runners, each with a goroutine that lives its life in
// a straight line, and one goroutine that owns what is said about the model.
// Models share only the devices; one that fails or hangs holds up no other.
package manager
