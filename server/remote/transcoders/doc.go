// Package transcoders is the orchestrator's side of transcoders on other machines:
// they register over gRPC and stay, are notified of segments, fetch them, and upload the
// renditions to /transcodeResults. To the rules of placement each registration is one
// device, attached for as long as it lasts.
//
// It chooses no transcoder for a session and tries nothing again; that is the
// placer's. Towards transcoders of the existing network it keeps exactly to the
// network's form; transcoders of our own kind get more fields (server/rpc, fields from
// 50001 on). cmd/tutti plugs Register, Handler and Source into the listener.
package transcoders
