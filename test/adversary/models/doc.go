// Package models plays attackers around the node's models. A hostile model server in
// a container of the node tries to get out of it: to the network, the host's
// services, other containers, the weights, the kernel. Clients send requests with
// addresses that a model server would fetch from where they must not lead.
//
// The node under test is the real binary, the Docker Engine a real one.
package models
