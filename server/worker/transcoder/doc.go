// Package transcoder makes this process the transcoder of orchestrators elsewhere: it
// registers with them, takes their segments, has them transcoded by the node's own
// pool, and brings the renditions back. It speaks net.Transcoder as the network
// does, and a little more with orchestrators of our own kind.
//
// It transcodes nothing itself and places no sessions: that is the core.Transcoder it
// is given. The registration's life is server/worker's. cmd/tutti runs it where
// -transcoder is given without -orchestrator; server/remote/transcoders is the other
// side.
package transcoder
