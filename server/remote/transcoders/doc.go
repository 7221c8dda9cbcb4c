// Package transcoders is the orchestrator's side of transcoders on other machines. A transcoder
// keeps a gRPC stream open (its registration), is notified of segments on it, fetches them, and
// uploads the renditions to /transcodeResults. Placement treats each registration as one device
// until the stream ends.
//
// It chooses no transcoder for a session and retries nothing; the placer does. Messages to
// transcoders of the existing network have only the network's fields; tutti's transcoders get more
// (server/rpc, fields from 50001 on). cmd/tutti adds Register, Handler and Source to the listener.
package transcoders
