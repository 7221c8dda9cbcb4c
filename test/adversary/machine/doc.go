// Package machine plays parties near a node that do not belong to it: other users
// of its machine, and machines that want to be its workers. The first read what files
// the node leaves open to them, and occupy ports on which the node expects requests; the others come with a
// wrong secret or certificate.
package machine
