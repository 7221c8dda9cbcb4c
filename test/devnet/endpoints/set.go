package endpoints

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"strconv"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/tuttinode/tutti/core"
)

// Node is the chain behind the endpoints.
type Node interface {
	// Dial returns a client of the node, which the caller closes.
	Dial() *rpc.Client
	// Head is the newest block.
	Head() *types.Header
	// BaseFee is what the next block asks for.
	BaseFee() core.Wei
}

// Set is all endpoints of a chain.
type Set struct {
	endpoints []*Endpoint
	client    *rpc.Client
	drops     drops
}

// Open listens on count addresses: the given one and the ports after it, or free
// ports when its port is 0.
func Open(node Node, addr string, count int) (*Set, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("the address of the endpoints: %w", err)
	}
	first, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("the port of the endpoints: %w", err)
	}
	f := &Set{client: node.Dial()}
	for i := range count {
		next := first
		if first != 0 {
			next += uint64(i)
		}
		e := &Endpoint{node: node, client: f.client, drops: &f.drops, addr: net.JoinHostPort(host,
			strconv.FormatUint(next, 10))}
		if err := e.open(); err != nil {
			return nil, errors.Join(err, f.Close())
		}
		f.endpoints = append(f.endpoints, e)
	}
	return f, nil
}

// Close ends all endpoints.
func (f *Set) Close() error {
	var errs []error
	for _, e := range f.endpoints {
		errs = append(errs, e.close())
	}
	f.client.Close()
	return errors.Join(errs...)
}

// Endpoint returns the i-th endpoint.
func (f *Set) Endpoint(i int) (*Endpoint, error) {
	if i < 0 || i >= len(f.endpoints) {
		return nil, fmt.Errorf("there is no endpoint %d, only %d", i, len(f.endpoints))
	}
	return f.endpoints[i], nil
}

// URLs returns the addresses of all endpoints, in their order.
func (f *Set) URLs() (urls []string) {
	for _, e := range f.endpoints {
		urls = append(urls, e.URL())
	}
	return urls
}

// DropNext loses the next n transactions: their hashes are answered, and they are
// never mined.
func (f *Set) DropNext(n uint64) { f.drops.set(n) }

// discardLog keeps the server's complaints about clients out of the log.
func discardLog() *log.Logger { return log.New(io.Discard, "", 0) }
