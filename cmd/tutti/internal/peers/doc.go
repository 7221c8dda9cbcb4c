// Package peers reads what options say of the node's connections to other nodes: addresses to
// dial, secrets of workers and certificate authorities. It opens no connection.
package peers
