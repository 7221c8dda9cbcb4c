// Package keyapi lets clients of a gateway manage API keys over HTTP, with an admin key, and see what keys used and
// cost, with their own.
package keyapi
