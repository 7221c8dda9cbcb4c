package peer

import "context"

type key struct{}

// With notes on whose behalf something is done, by the name of a peer or a site.
func With(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, key{}, name)
}

// For is on whose behalf it is done; "" is this node itself, or not known.
func For(ctx context.Context) string {
	name, _ := ctx.Value(key{}).(string)
	return name
}
