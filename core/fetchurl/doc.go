// Package fetchurl decides which addresses in requests a server may be given to
// fetch from. A request of a client can name an image or a sound by its address;
// the model server that fetches it is in the operator's network, and must not be
// led to what only that network reaches.
//
// It looks at addresses and fetches nothing. core/pipeline finds the addresses in a
// request, ai/manager and server/gateway/aiapi ask here before a request goes on, and
// whatever of this node fetches from addresses of others dials with PublicOnly.
package fetchurl
