// Package keyapi lets clients of a gateway manage API keys over HTTP, with an admin key, and see what keys used and
// cost, with their own.
//
// It decides about no request for a model and keeps nothing: core/apikeys has the rules, server/apikeystore the keys.
// cmd/tutti/internal/gateway mounts it beside the AI interface.
package keyapi
