package core

import "context"

type key struct{}

// WithPeer notes on whose behalf something is done, by the name of a peer or a site.
func WithPeer(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, key{}, name)
}

// PeerFor is on whose behalf it is done; "" is this node itself, or not known.
func PeerFor(ctx context.Context) string {
	name, _ := ctx.Value(key{}).(string)
	return name
}
